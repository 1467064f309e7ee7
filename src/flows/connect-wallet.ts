import { createHmac } from 'node:crypto';
import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { AppError, invalid } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { WalletFault, type WalletProbe } from '../lightning/connector.ts';
import { nextPosition } from '../model/position.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import { canSeeSettlement, simulatedAddress, type WalletRow } from '../model/wallet.ts';
import {
  findWallet,
  findWalletByIdentity,
  insertWallet,
  lastWalletPosition,
  listMerchantWallets,
} from '../store/wallets.ts';
import { parseConnection } from '../wallets/parse-connection.ts';
import { identityOf, nameOf, receiveOnlyAdvice, type WalletConnection } from '../wallets/wallet-connection.ts';
import type { Parts } from './parts.ts';

export interface WalletRequest {
  /** Made from the connection unless given. */
  name?: string | undefined;
  /** What the merchant pasted: a lightning address, a connection string, a server's address. */
  connection: string;
  /** The secret, for an address that holds none. */
  key?: string | undefined;
  /** The merchant's own ceiling, beside the wallet's. */
  maxPaymentSats?: number | null | undefined;
  /** Save a wallet whose settlement cannot be seen. It takes no payments, but waits for its provider to learn it. */
  saveUnseen?: boolean | undefined;
  /** Let payers prove with a preimage what a wallet does not tell; that makes one whose settlement cannot be seen of use. */
  takesPreimages?: boolean | undefined;
  /** Save a credential that could spend. */
  acceptSpendRisk?: boolean | undefined;
}

interface ConnectedWallet {
  readonly wallet: WalletRow;
  readonly probe: WalletProbe;
}

/** The wallet works, but nobody could tell when an invoice of it is paid: orders would stay open for ever. */
export class UnseenSettlement extends AppError {
  constructor(notes: readonly string[]) {
    const reason = notes.join(' ') || 'This wallet does not tell whether an invoice was paid.';
    super('validation_error', 'Validation failed', { details: [`connection cannot be used: ${reason}`] });
  }
}

/** The credential could spend the merchant's money, which nobody asked for. */
export class SpendRisk extends AppError {
  constructor(kind: WalletConnection['kind']) {
    const reason = `this credential could spend from the wallet. ${receiveOnlyAdvice[kind]}`;
    super('validation_error', 'Validation failed', { details: [`connection cannot be used: ${reason}`] });
  }
}

/** A wallet that was tried out and found good, not saved yet. Plain JSON but for the bytes of the credential. */
export interface TriedWallet {
  readonly draft: WalletRow;
  readonly identity: string;
  readonly probe: WalletProbe;
}

type ConnectParts = Pick<Parts, 'db' | 'clock' | 'wallets' | 'sealer'>;

/**
 * Connects a wallet: asks it first, and saves it only when it makes good invoices of this mode's network, its settlement
 * can be seen, and what was pasted cannot spend. It goes to the end of the line.
 *
 * @throws {AppError} `validation_error` for a connection or wallet that is no use, `conflict` when it is connected
 *   already, `wallet_unavailable` when the wallet does not answer.
 */
export async function connectWallet(
  parts: ConnectParts,
  scope: Scope,
  request: WalletRequest,
  signal: AbortSignal,
): Promise<ConnectedWallet> {
  const tried = await tryWallet(parts, scope, request, signal);
  const wallet = await parts.db.transaction((tx) => saveWallet(tx, parts, scope, tried));
  return { wallet, probe: tried.probe };
}

/** The first half, outside any transaction: a wallet may take its time. Throws as `connectWallet` does. */
export async function tryWallet(
  parts: ConnectParts,
  scope: Scope,
  request: WalletRequest,
  signal: AbortSignal,
): Promise<TriedWallet> {
  const connection = readConnection(scope, request);
  const identity = identityText(parts, connection);
  await refuseTwice(parts, scope, connection, identity);
  const draft = draftWallet(parts, scope, request, connection);
  try {
    const probe = await parts.wallets.probe(draft, signal);
    if (probe.canSpend && !request.acceptSpendRisk) throw new SpendRisk(connection.kind);
    const isOfUse = canSeeSettlement({ ...draft, settlement_visibility: probe.settlementVisibility });
    if (!isOfUse && !request.saveUnseen) throw new UnseenSettlement(probe.notes);
    if (request.maxPaymentSats != null && request.maxPaymentSats < probe.minSats) {
      throw invalid(`max_payment_sats is below the ${probe.minSats} sats that this wallet takes at least`);
    }
    // The probe of an address asks for an invoice by itself. Which network it is for shows whose mode the wallet is.
    if (connection.kind !== 'lightning_address') await askForInvoice(parts, draft, signal);
    return { draft, identity, probe };
  } catch (error) {
    throw toAppError(error);
  } finally {
    await parts.wallets.release(draft.id);
  }
}

/** The second half. @throws {AppError} `conflict` when the same wallet was connected meanwhile. */
export async function saveWallet(
  tx: Handle,
  parts: Pick<Parts, 'clock'>,
  scope: Scope,
  { draft, identity, probe }: TriedWallet,
): Promise<WalletRow> {
  const isNew = await insertWallet(tx, {
    ...draft,
    identity,
    position: nextPosition(await lastWalletPosition(tx, scope)),
    min_sats: probe.minSats,
    max_sats: probe.maxSats,
    settlement_visibility: probe.settlementVisibility,
    notes: [...probe.notes],
    last_checked_at: parts.clock.now(),
  });
  if (!isNew) throw connectedAlready((await findWalletByIdentity(tx, scope, identity))!);
  return (await findWallet(tx, scope, draft.id))!;
}

function readConnection({ livemode }: Scope, { connection: typed, key }: WalletRequest): WalletConnection {
  let connection: WalletConnection;
  try {
    connection = parseConnection(typed, key);
  } catch (error) {
    throw toAppError(error);
  }
  if (livemode && isSimulated(connection)) {
    throw invalid('connection is that of the simulated wallet, which is for test mode alone');
  }
  return connection;
}

/** Test mode starts with it; whoever has removed it may have it back. */
function isSimulated(connection: WalletConnection): boolean {
  return connection.kind === 'lightning_address' && connection.address === simulatedAddress;
}

function identityText({ sealer }: Pick<Parts, 'sealer'>, connection: WalletConnection): string {
  return createHmac('sha256', sealer.deriveKey('wallet identity')).update(identityOf(connection)).digest('hex');
}

/** Twice in line, one wallet would be asked twice when it is down, and a sale would wait for both. */
async function refuseTwice(
  { db }: Pick<Parts, 'db'>,
  scope: Scope,
  connection: WalletConnection,
  identity: string,
): Promise<void> {
  const address = connection.kind === 'lightning_address' ? connection.address : undefined;
  const earlier =
    (await findWalletByIdentity(db, scope, identity)) ??
    (await listMerchantWallets(db, scope)).find((row) => address !== undefined && row.lightning_address === address);
  if (earlier) throw connectedAlready(earlier);
}

function connectedAlready(wallet: WalletRow): AppError {
  const state = wallet.enabled ? '' : ' and is disabled';
  return new AppError('conflict', `${wallet.name} is connected already, as wallet ${wallet.id}${state}`);
}

async function askForInvoice({ wallets }: ConnectParts, draft: WalletRow, signal: AbortSignal): Promise<void> {
  const request = { ref: draft.id, amountMsat: 1000n, description: 'Satline connection test', expirySeconds: 600 };
  await wallets.createInvoice([draft], request, signal).catch((error: unknown) => {
    throw error instanceof AppError && error.cause instanceof WalletFault ? error.cause : error;
  });
}

function draftWallet(
  { sealer, clock }: ConnectParts,
  scope: Scope,
  request: WalletRequest,
  connection: WalletConnection,
): WalletRow {
  const id = newId();
  const now = clock.now();
  const isAddress = connection.kind === 'lightning_address';
  return {
    id,
    merchant_id: scope.merchantId,
    livemode: scope.livemode,
    name: request.name ?? nameOf(connection),
    connection: isSimulated(connection) ? 'simulated' : connection.kind,
    lightning_address: isAddress ? connection.address : null,
    credentials: isAddress ? null : sealer.seal(JSON.stringify(connection), sealedPlace('wallets.credentials', id)),
    settings: {},
    enabled: true,
    position: 0,
    is_default: false,
    max_payment_sats: request.maxPaymentSats ?? null,
    min_sats: 1,
    max_sats: null,
    settlement_visibility: 'none',
    notes: [],
    takes_preimages: request.takesPreimages ?? false,
    deleted_at: null,
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
export function toAppError(error: unknown): unknown {
  if (!(error instanceof WalletFault)) return error;
  if (error.kind === 'unreachable' || error.kind === 'rate_limited') {
    const { retryAfterSeconds } = error;
    const again = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    return new AppError('wallet_unavailable', error.message, { cause: error, ...again });
  }
  const sentence = error.message.replace(/\.$/, '');
  return new AppError('validation_error', 'Validation failed', {
    details: [`connection cannot be used: ${sentence}`],
    cause: error,
  });
}
