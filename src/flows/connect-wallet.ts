import type { Scope } from '../kernel/context.ts';
import { AppError, invalid } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { WalletFault, type WalletProbe } from '../lightning/connector.ts';
import { type LightningAddress, parseLightningAddress } from '../lightning/lnurl-address.ts';
import type { WalletRow } from '../model/wallet.ts';
import { findWallet, insertWallet, listMerchantWallets, nextWalletPosition } from '../store/wallets.ts';
import type { Parts } from './parts.ts';

export interface WalletRequest {
  /** The address unless given. */
  name?: string | undefined;
  /** As the merchant typed it. */
  lightningAddress: string;
  /** The merchant's own ceiling, beside the wallet's. */
  maxPaymentSats?: number | null | undefined;
  /** Save a wallet whose settlement cannot be seen. It takes no payments, but waits for its provider to learn it. */
  saveUnseen?: boolean | undefined;
}

export interface ConnectedWallet {
  readonly wallet: WalletRow;
  readonly probe: WalletProbe;
}

/** The wallet works, but nobody could tell when an invoice of it is paid: orders would stay open for ever. */
export class UnseenSettlement extends AppError {
  constructor(notes: readonly string[]) {
    const reason = notes.join(' ') || 'This wallet does not tell whether an invoice was paid.';
    super('validation_error', 'Validation failed', { details: [`lightning_address cannot be used: ${reason}`] });
  }
}

/**
 * Connects a wallet by its lightning address: asks it for an invoice first, and saves it only when that is a good one and
 * its settlement can be seen. It goes to the end of the line.
 *
 * @throws {AppError} `validation_error` for an address or wallet that is no use, `conflict` when it is connected already,
 *   `wallet_unavailable` when the wallet does not answer.
 */
export async function connectWallet(
  parts: Pick<Parts, 'db' | 'clock' | 'wallets'>,
  scope: Scope,
  request: WalletRequest,
  signal: AbortSignal,
): Promise<ConnectedWallet> {
  const { db, clock, wallets } = parts;
  const address = readAddress(request.lightningAddress);
  await refuseTwice(parts, scope, address);

  const draft = draftWallet(scope, request, address, clock.now());
  // Asked before the transaction begins: a wallet may take its time, and a transaction may not.
  const probe = await wallets.probe(draft, signal).catch((error: unknown) => {
    throw toAppError(error);
  });
  if (probe.settlementVisibility === 'none' && !request.saveUnseen) throw new UnseenSettlement(probe.notes);
  if (request.maxPaymentSats != null && request.maxPaymentSats < probe.minSats) {
    throw invalid(`max_payment_sats is below the ${probe.minSats} sats that this wallet takes at least`);
  }

  const wallet = await db.transaction(async (tx) => {
    await insertWallet(tx, {
      ...draft,
      position: await nextWalletPosition(tx, scope),
      min_sats: probe.minSats,
      max_sats: probe.maxSats,
      settlement_visibility: probe.settlementVisibility,
      notes: [...probe.notes],
      last_checked_at: clock.now(),
    });
    return (await findWallet(tx, scope, draft.id))!;
  });
  return { wallet, probe };
}

function readAddress(typed: string): LightningAddress {
  let address: LightningAddress;
  try {
    address = parseLightningAddress(typed);
  } catch (error) {
    throw toAppError(error);
  }
  if (address.host === 'simulated.invalid') {
    throw invalid('lightning_address is that of a simulated wallet: test mode has one, and live mode never does');
  }
  return address;
}

/** Twice in line, one wallet would be asked twice when it is down, and a sale would wait for both. */
async function refuseTwice({ db }: Pick<Parts, 'db'>, scope: Scope, address: LightningAddress): Promise<void> {
  const earlier = (await listMerchantWallets(db, scope)).find((row) => row.lightning_address === address.text);
  if (!earlier) return;
  const state = earlier.enabled ? '' : ' and is disabled';
  throw new AppError('conflict', `${address.text} is connected already, as wallet ${earlier.id}${state}`);
}

function draftWallet(scope: Scope, request: WalletRequest, address: LightningAddress, now: Date): WalletRow {
  return {
    id: newId(),
    merchant_id: scope.merchantId,
    livemode: scope.livemode,
    name: request.name ?? address.text,
    connection: 'lightning_address',
    lightning_address: address.text,
    credentials: null,
    settings: {},
    enabled: true,
    position: 0,
    is_default: false,
    max_payment_sats: request.maxPaymentSats ?? null,
    min_sats: 1,
    max_sats: null,
    settlement_visibility: 'none',
    notes: [],
    last_checked_at: null,
    last_transaction_at: null,
    last_error: null,
    consecutive_failures: 0,
    broken: false,
    created_at: now,
    updated_at: now,
  };
}

/** What will pass is worth trying again; anything else is wrong with the address or with the wallet behind it. */
function toAppError(error: unknown): unknown {
  if (!(error instanceof WalletFault)) return error;
  if (error.kind === 'unreachable' || error.kind === 'rate_limited') {
    const { retryAfterSeconds } = error;
    const again = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    return new AppError('wallet_unavailable', error.message, { cause: error, ...again });
  }
  const sentence = error.message.replace(/\.$/, '');
  return new AppError('validation_error', 'Validation failed', {
    details: [`lightning_address cannot be used: ${sentence}`],
    cause: error,
  });
}
