import type { JsonObject } from '../kernel/json-object.ts';
import type { Outbound } from '../kernel/outbound.ts';
import { callWallet, goodObject, plainReason } from './wallet-http.ts';

/** What the wallet said in place of an answer: `{"status":"ERROR","reason":…}` (LUD-06). */
interface LnurlRefusal {
  /** Plain text of at most 200 characters; empty when there was none that may be shown. */
  readonly reason: string;
}

/**
 * GETs a JSON object from a wallet. An LNURL error body is returned as `refusal` whatever the HTTP status, because
 * only the caller knows whether it means a fault; everything else that is no JSON object with status 2xx throws `WalletFault`.
 */
export async function getLnurlJson(
  outbound: Outbound,
  url: string,
  signal: AbortSignal,
): Promise<{ answer: JsonObject } | { refusal: LnurlRefusal }> {
  const answer = await callWallet(outbound, { url }, signal, { keepErrors: true });
  const { json } = answer;
  if (json && typeof json.status === 'string' && json.status.toUpperCase() === 'ERROR') {
    return { refusal: { reason: plainReason(json.reason) } };
  }
  return { answer: goodObject(answer) };
}
