import { createHash } from 'node:crypto';
import type { JsonObject } from '../kernel/json-object.ts';
import type { Outbound } from '../kernel/outbound.ts';
import { normaliseBolt11 } from './bolt11.ts';
import { allBitcoinMsat } from './bolt11-amount.ts';
import { type InvoiceFact, WalletFault } from './connector.ts';
import { getLnurlJson } from './lnurl-http.ts';
import { provesHash } from './preimage.ts';
import { refusedBecause } from './wallet-http.ts';

/** What a call needs besides its own arguments. */
export interface LnurlContext {
  readonly outbound: Outbound;
  /** Accept plain http for callback and verify URLs; otherwise https, or http to a hidden service. */
  readonly allowHttp: boolean;
  readonly signal: AbortSignal;
}

/** A wallet's offer to make invoices (LUD-06). */
export interface PayRequest {
  readonly callback: string;
  readonly minMsat: bigint;
  readonly maxMsat: bigint;
  /** SHA-256 of the metadata exactly as received, which the invoice should commit to; undefined without metadata. */
  readonly metadataHash: string | undefined;
  /** Longest comment the wallet takes, in characters; 0 for none (LUD-12). */
  readonly commentAllowed: number;
}

interface CallbackAnswer {
  /** As received: the acceptance check decides whether it is an invoice. */
  readonly pr: unknown;
  /** Where settlement can be asked (LUD-21); undefined when the wallet does not offer it. */
  readonly verify: string | undefined;
}

/** Fetches and checks a pay request (LUD-06). */
export async function fetchPayRequest(url: string, context: LnurlContext): Promise<PayRequest> {
  const answer = await getAnswer(url, context);
  if (answer.tag !== 'payRequest') throw new WalletFault('protocol', 'The address does not offer to be paid.');
  const minMsat = readLimit(answer.minSendable);
  const maxMsat = readLimit(answer.maxSendable);
  const callback = readUrl(answer.callback, context.allowHttp);
  if (minMsat === undefined || maxMsat === undefined || maxMsat < minMsat) {
    throw new WalletFault('protocol', 'The wallet names no usable limits for payments.');
  }
  if (callback === undefined) {
    throw new WalletFault('protocol', 'The wallet names no complete https URL for making invoices.');
  }
  const { metadata } = answer;
  return {
    callback,
    minMsat: minMsat > 0n ? minMsat : 1n,
    maxMsat,
    metadataHash:
      typeof metadata === 'string' ? createHash('sha256').update(metadata, 'utf8').digest('hex') : undefined,
    commentAllowed: Math.floor(readNumber(answer.commentAllowed) ?? 0),
  };
}

/** Asks for an invoice (LUD-06), with a comment where the wallet takes one (LUD-12). */
export async function requestInvoice(
  payRequest: PayRequest,
  amountMsat: bigint,
  comment: string,
  context: LnurlContext,
): Promise<CallbackAnswer> {
  const answer = await getAnswer(callbackUrl(payRequest, amountMsat, comment), context);
  return { pr: answer.pr, verify: readUrl(answer.verify, context.allowHttp) };
}

/** Servers commonly take 2 to 8 kB in a request line. */
const maximumUrlLength = 2000;

/**
 * The callback with our parameters behind its own query, which stays byte for byte: it may hold a one-time token.
 * `amount` comes first because some wallets care. A comment is cut to the wallet's length, counted in code points, and left out
 * where the URL would become too long with it.
 */
export function callbackUrl(payRequest: PayRequest, amountMsat: bigint, comment: string): string {
  const { origin, pathname, search } = new URL(payRequest.callback);
  const url = `${origin}${pathname}${search === '' ? '?' : `${search}&`}amount=${amountMsat}`;
  // Through a buffer, because half a surrogate pair would make the encoding throw.
  const cut = [...Buffer.from(comment, 'utf8').toString('utf8')].slice(0, payRequest.commentAllowed).join('');
  const withComment = `${url}&comment=${encodeURIComponent(cut)}`;
  return cut === '' || withComment.length > maximumUrlLength ? url : withComment;
}

/**
 * Asks whether an invoice is settled (LUD-21). Only `settled: true` counts: wallets send a preimage, dates or other words
 * for invoices that nobody paid. An answer that names another invoice is a fault.
 */
export async function verifySettlement(
  verify: string,
  invoice: { readonly bolt11: string; readonly paymentHash: string },
  context: LnurlContext,
): Promise<InvoiceFact> {
  const result = await getLnurlJson(context.outbound, verify, context.signal);
  if ('refusal' in result) {
    if (/not\s+found/i.test(result.refusal.reason)) return { state: 'unknown' };
    if (/expired/i.test(result.refusal.reason)) return { state: 'expired' };
    throw refusedBecause(result.refusal.reason);
  }
  const { settled, preimage, pr } = result.answer;
  if (typeof pr === 'string' && normaliseBolt11(pr) !== invoice.bolt11) {
    throw new WalletFault('protocol', 'The wallet answered for another invoice.');
  }
  if (settled === false) return { state: 'pending' };
  if (settled !== true) return { state: 'unknown' };
  return {
    state: 'settled',
    receivedMsat: undefined,
    preimage: provesHash(preimage, invoice.paymentHash),
    settledAt: undefined,
  };
}

async function getAnswer(url: string, context: LnurlContext): Promise<JsonObject> {
  const result = await getLnurlJson(context.outbound, url, context.signal);
  if ('refusal' in result) throw refusedBecause(result.refusal.reason);
  return result.answer;
}

/** A limit in whole msat. A number, or a decimal string as some wallets write it; a fraction is dropped. */
function readLimit(value: unknown): bigint | undefined {
  const number = readNumber(value);
  return number === undefined ? undefined : BigInt(Math.floor(Math.min(number, Number(allBitcoinMsat))));
}

function readNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^[0-9]{1,20}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** Absolute https URLs; a relative one has no agreed base and is treated as missing. */
function readUrl(value: unknown, allowHttp: boolean): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return undefined;
  const { protocol, hostname, href, username, password } = new URL(value);
  const plain = protocol === 'http:' && (allowHttp || hostname.endsWith('.onion'));
  return (protocol === 'https:' || plain) && username + password === '' ? href : undefined;
}
