import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonObject } from '../kernel/json-object.ts';
import type { Outbound } from '../kernel/outbound.ts';
import { OutboundError } from '../kernel/outbound-error.ts';
import type { OutboundRequest } from '../kernel/outbound-exchange.ts';
import { WalletFault } from './connector.ts';

interface WalletAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** undefined when the body is no JSON object. */
  readonly json: JsonObject | undefined;
  /** undefined when the body is no JSON array. */
  readonly list: readonly unknown[] | undefined;
}

export type WalletRequest = Pick<OutboundRequest, 'url' | 'method' | 'headers' | 'body'>;

const timeoutMillis = 8000;

/**
 * One request to a wallet's server. What its status means in general is decided here: 429 is `rate_limited`, and unless
 * `keepErrors` 401 and 403 are `unauthorized`, 500 and above `unreachable`; any other answer is for the adapter to read.
 * @throws {WalletFault} with a sentence that holds nothing of the server's own page and no address inside.
 */
export async function callWallet(
  outbound: Outbound,
  request: WalletRequest,
  signal: AbortSignal,
  options: { keepErrors?: boolean } = {},
): Promise<WalletAnswer> {
  const { status, headers, body } = await send(outbound, request, signal);
  if (status === 429) throw rateLimited(headers);
  if (!options.keepErrors && isForbidden(status)) throw forbiddenFault();
  if (!options.keepErrors && status >= 500) throw httpFault(status);
  const value = parseJson(body);
  return {
    status,
    headers,
    json: isJsonObject(value) ? value : undefined,
    list: Array.isArray(value) ? value : undefined,
  };
}

/** Whether a status says that the credential is wrong or may not do this. */
export const isForbidden = (status: number): boolean => status === 401 || status === 403;

/** The fault for a credential that is wrong or may not do this. */
export function forbiddenFault(): WalletFault {
  return new WalletFault('unauthorized', 'The wallet does not accept the credential, or it may not do this.');
}

/** The JSON object of a good answer. @throws {WalletFault} when it is none, or the status says otherwise. */
export function goodObject(answer: WalletAnswer): JsonObject {
  if (answer.status < 200 || answer.status > 299) throw httpFault(answer.status);
  if (!answer.json) throw new WalletFault('protocol', "The wallet's server did not answer with a JSON object.");
  return answer.json;
}

/** The fault for a status that has no special meaning. */
export function httpFault(status: number): WalletFault {
  return new WalletFault(
    status >= 500 ? 'unreachable' : 'protocol',
    `The wallet's server answered with HTTP status ${status}.`,
  );
}

/** The fault for an answer that says why the wallet will not. */
export function refusedBecause(reason: unknown): WalletFault {
  const text = plainReason(reason);
  return new WalletFault('refused', text === '' ? 'The wallet refused.' : `The wallet refused: ${text}`);
}

/** Quotes a reason only when it is plain text: no markup, no control characters, cut to a line. */
export function plainReason(reason: unknown): string {
  if (typeof reason !== 'string' || /[<>{}]/.test(reason)) return '';
  const line = reason.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return [...line].slice(0, 200).join('');
}

async function send(outbound: Outbound, request: WalletRequest, signal: AbortSignal) {
  try {
    const headers = { accept: 'application/json', ...request.headers };
    return await outbound.request({ ...request, headers, timeoutMillis, signal });
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

function rateLimited(headers: IncomingHttpHeaders): WalletFault {
  const seconds = Number(headers['retry-after']);
  const options = Number.isFinite(seconds) && seconds > 0 ? { retryAfterSeconds: Math.min(seconds, 3600) } : {};
  return new WalletFault('rate_limited', "The wallet's server is being asked too often.", options);
}

/** Drops a byte order mark, which some servers put before their JSON. */
const utf8 = new TextDecoder();

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    return undefined;
  }
}
