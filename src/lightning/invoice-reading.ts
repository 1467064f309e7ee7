import { addSeconds, type Clock } from '../kernel/clock.ts';
import { acceptInvoice } from './acceptance.ts';
import { maximumDescriptionBytes } from './bolt11-encode.ts';
import type { Network } from './bolt11-format.ts';
import {
  type CreatedInvoice,
  type InvoiceFact,
  type InvoiceHandle,
  type InvoiceRequest,
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
export function requireWholeSats({ amountMsat }: InvoiceRequest): number {
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

/** A settled invoice in a wallet's own words. A preimage that proves nothing is dropped. */
export function settledFact(
  paymentHash: string,
  said: { receivedMsat?: bigint | undefined; preimage?: unknown; settledAtSeconds?: unknown },
): InvoiceFact {
  const { receivedMsat, preimage, settledAtSeconds } = said;
  const seconds = Number(settledAtSeconds);
  return {
    state: 'settled',
    receivedMsat: receivedMsat !== undefined && receivedMsat > 0n ? receivedMsat : undefined,
    preimage: provesHash(preimage, paymentHash),
    settledAt: Number.isFinite(seconds) && seconds > 0 ? addSeconds(new Date(0), seconds) : undefined,
  };
}

/** Whole msat out of what wallets write: a number, a decimal string, or Core Lightning's `21000msat`. */
export function readMsat(value: unknown): bigint | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  const digits = typeof text === 'string' ? /^(\d{1,19})(?:msat)?$/.exec(text)?.[1] : undefined;
  return digits === undefined ? undefined : BigInt(digits);
}
