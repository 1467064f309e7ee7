import type { IncomingHttpHeaders } from 'node:http';
import type { Outbound } from '../kernel/outbound.ts';
import { OutboundError } from '../kernel/outbound-error.ts';
import { WalletFault } from './connector.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** What the wallet said in place of an answer: `{"status":"ERROR","reason":…}` (LUD-06). */
export interface LnurlRefusal {
  /** Plain text of at most 200 characters; empty when there was none that may be shown. */
  readonly reason: string;
}

const timeoutMs = 8000;

/**
 * GETs a JSON object from a wallet. An LNURL error body is returned as `refusal` whatever the HTTP status, because
 * only the caller knows whether it means a fault; everything else that is no JSON object with status 2xx throws `WalletFault`.
 */
export async function getLnurlJson(
  outbound: Outbound,
  url: string,
  signal: AbortSignal,
): Promise<{ answer: JsonObject } | { refusal: LnurlRefusal }> {
  const { status, headers, body } = await ask(outbound, url, signal);
  const answer = parseObject(body);
  if (answer && typeof answer.status === 'string' && answer.status.toUpperCase() === 'ERROR') {
    if (status === 429) throw rateLimited(headers);
    return { refusal: { reason: plainReason(answer.reason) } };
  }
  if (status === 429) throw rateLimited(headers);
  if (status >= 500) throw new WalletFault('unreachable', `The wallet's server answered with HTTP status ${status}.`);
  if (status < 200 || status > 299) {
    throw new WalletFault('protocol', `The wallet's server answered with HTTP status ${status}.`);
  }
  if (!answer) throw new WalletFault('protocol', "The wallet's server did not answer with a JSON object.");
  return { answer };
}

/** The fault for a refusal that has no special meaning. */
export function refusedBecause({ reason }: LnurlRefusal): WalletFault {
  return new WalletFault('refused', reason === '' ? 'The wallet refused.' : `The wallet refused: ${reason}`);
}

async function ask(outbound: Outbound, url: string, signal: AbortSignal) {
  try {
    return await outbound.request({ url, headers: { accept: 'application/json' }, timeoutMs, signal });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw new WalletFault(faultKinds[error.kind], error.message, { cause: error });
  }
}

const faultKinds = {
  refused_url: 'protocol',
  refused_address: 'protocol',
  redirect: 'protocol',
  too_large: 'protocol',
  timeout: 'unreachable',
  unreachable: 'unreachable',
  aborted: 'unreachable',
} as const;

function parseObject(body: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Quotes a reason only when it is plain text: no markup, no control characters, cut to a line. */
function plainReason(reason: unknown): string {
  if (typeof reason !== 'string' || /[<>]/.test(reason)) return '';
  const line = reason.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return [...line].slice(0, 200).join('');
}

function rateLimited(headers: IncomingHttpHeaders): WalletFault {
  const seconds = Number(headers['retry-after']);
  const options = Number.isFinite(seconds) && seconds > 0 ? { retryAfterSeconds: Math.min(seconds, 3600) } : {};
  return new WalletFault('rate_limited', "The wallet's server is being asked too often.", options);
}
