import { addSeconds, type Clock } from '../kernel/clock.ts';
import { acceptInvoice } from './acceptance.ts';
import { allBitcoinMsat } from './bolt11-amount.ts';
import { maximumDescriptionBytes } from './bolt11-encode.ts';
import type { Network } from './bolt11-format.ts';
import {
  type CreatedInvoice,
  type InvoiceFact,
  type InvoiceHandle,
  type InvoiceRequest,
  type LookupRequest,
  WalletFault,
} from './connector.ts';
import { provesHash } from './preimage.ts';

/** What every adapter to a wallet's own API is opened with, besides its credential. */
export interface AdapterSupport {
  /** Networks whose invoices are accepted: `acceptedNetworks(livemode)`. */
  readonly networks: readonly Network[];
  readonly clock: Clock;
}

/** @throws {WalletFault} for an amount with a fraction of a sat, which most wallets refuse or round. */
export function requireWholeSats({ amountMsat }: Pick<InvoiceRequest, 'amountMsat'>): number {
  if (amountMsat <= 0n || amountMsat % 1000n !== 0n) {
    throw new WalletFault('amount_out_of_range', 'Only whole sats can be asked for.');
  }
  return Number(amountMsat / 1000n);
}

/** A description as a wallet can write it into a BOLT11 string: whole characters, cut to what fits. */
export function fittingDescription({ description }: InvoiceRequest, longest = maximumDescriptionBytes): string {
  let bytes = 0;
  let fitting = '';
  for (const character of description.toWellFormed()) {
    bytes += Buffer.byteLength(character);
    if (bytes > longest) break;
    fitting += character;
  }
  return fitting;
}

/** The invoice a wallet gave, after the check that every invoice passes. @throws {WalletFault} `bad_invoice` */
export function toCreatedInvoice(
  bolt11: unknown,
  { amountMsat }: InvoiceRequest,
  { networks, clock }: AdapterSupport,
  handle: InvoiceHandle = {},
): CreatedInvoice {
  const invoice = acceptInvoice(bolt11, { amountMsat, networks, now: clock.now() });
  const { paymentHash, expiresAt } = invoice;
  return { bolt11: invoice.bolt11, paymentHash, expiresAt, handle: { ...handle, expiresAtMs: expiresAt.getTime() } };
}

/** An unpaid invoice whose end has come is expired, whether or not its wallet has a word for that. */
export function unpaidFact(handle: InvoiceHandle, clock: Clock): InvoiceFact {
  const { expiresAtMs } = handle;
  return { state: typeof expiresAtMs === 'number' && clock.now().getTime() >= expiresAtMs ? 'expired' : 'pending' };
}

/** What a wallet's word for the state of an invoice means. */
type StateMeaning = 'settled' | 'held' | 'unpaid' | 'expired' | 'cancelled';

/** What a wallet says beside the state of a settled invoice. */
interface SettledWords {
  readonly receivedMsat?: bigint | undefined;
  readonly preimage?: unknown;
  readonly settledAtSeconds?: unknown;
}

/**
 * Reads the answer of a wallet that names the state of an invoice.
 * @param meanings of the words that the wallet uses.
 * @throws {WalletFault} `protocol` for any other word: an unknown state is no state.
 */
export function factByState(
  word: unknown,
  meanings: Readonly<Record<string, StateMeaning>>,
  { paymentHash, handle }: Pick<LookupRequest, 'paymentHash' | 'handle'>,
  clock: Clock,
  said: SettledWords,
): InvoiceFact {
  const meaning = typeof word === 'string' && Object.hasOwn(meanings, word) ? meanings[word] : undefined;
  switch (meaning) {
    case 'settled':
      return settledFact(paymentHash, said);
    case 'unpaid':
      return unpaidFact(handle, clock);
    case 'cancelled':
      // Nodes cancel what has expired.
      return unpaidFact(handle, clock).state === 'expired' ? { state: 'expired' } : { state: 'cancelled' };
    case 'held':
    case 'expired':
      return { state: meaning };
    default:
      throw new WalletFault('protocol', 'The wallet does not say whether the invoice was paid.');
  }
}

/** @param said hex in either case. @throws {WalletFault} when the wallet speaks of an invoice that it was not asked about. */
export function requireSameInvoice(said: unknown, paymentHash: string): void {
  if (typeof said !== 'string' || said.toLowerCase() !== paymentHash)
    throw new WalletFault('protocol', 'The wallet answered for another invoice.');
}

/** A settled invoice in a wallet's own words. A preimage that proves nothing is dropped. */
export function settledFact(paymentHash: string, said: SettledWords): InvoiceFact {
  const { receivedMsat, preimage, settledAtSeconds } = said;
  // Missing, nothing, or beyond all dates: not above 0.
  const settledAt = addSeconds(new Date(0), Number(settledAtSeconds));
  return {
    state: 'settled',
    receivedMsat: receivedMsat !== undefined && receivedMsat > 0n ? receivedMsat : undefined,
    preimage: provesHash(preimage, paymentHash),
    settledAt: settledAt.getTime() > 0 ? settledAt : undefined,
  };
}

/**
 * Whole msat out of what wallets write: a number, a decimal string, or Core Lightning's `21000msat`. More than all bitcoin is
 * no amount that anybody could have received.
 */
export function readMsat(value: unknown): bigint | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  const digits = typeof text === 'string' ? /^(\d{1,19})(?:msat)?$/.exec(text)?.[1] : undefined;
  return digits === undefined || BigInt(digits) > allBitcoinMsat ? undefined : BigInt(digits);
}
