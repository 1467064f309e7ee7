import { nextTryAt } from '../events/schedule.ts';
import { signatureHeaders } from '../events/signature.ts';
import { isRefusedAddress } from '../kernel/outbound-address.ts';
import { OutboundError } from '../kernel/outbound-error.ts';
import type { OutboundResponse } from '../kernel/outbound-exchange.ts';
import type { AttemptOutcome, ClaimedDelivery } from '../store/delivery-queue.ts';
import type { Parts } from './parts.ts';
import { openWebhookSecrets } from './webhook-secrets.ts';

/** An endpoint has this long for its whole answer. */
const timeoutMillis = 10_000;
/** Enough for an excerpt; of the rest only the status counts. */
const maxAnswerBytes = 4096;
const maxExcerptLength = 500;

/**
 * One attempt: signs the stored bytes, posts them, judges the answer. Writes nothing.
 * @returns undefined when `signal` ended the attempt: then it was none.
 */
export async function deliverWebhook(
  parts: Parts,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<AttemptOutcome | undefined> {
  const startedAt = performance.now();
  const answer = await post(parts, delivery, signal);
  if (answer === 'aborted') return undefined;
  const endedAt = parts.clock.now();
  const good = answer.status !== null && answer.status >= 200 && answer.status < 300;
  const next = good ? null : nextTryAt(delivery.tries + 1, endedAt);
  return {
    ...answer,
    id: delivery.id,
    claim: delivery.claim,
    good,
    state: good ? 'delivered' : next === null ? 'failed' : 'waiting',
    nextTryAt: next,
    error: good ? null : (answer.error ?? `The endpoint answered ${answer.status}.`),
    durationMillis: Math.round(performance.now() - startedAt),
    endedAt,
  };
}

type Answer = Pick<AttemptOutcome, 'status' | 'excerpt' | 'error'>;

async function post(parts: Parts, delivery: ClaimedDelivery, signal: AbortSignal): Promise<Answer | 'aborted'> {
  const now = parts.clock.now();
  const body = Buffer.from(delivery.body, 'utf8');
  try {
    const secrets = openWebhookSecrets(parts.sealer, delivery.webhook_id, delivery, now);
    const response = await parts.endpoints.request({
      url: delivery.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        ...signatureHeaders(body, delivery.event_id, secrets, now),
      },
      body,
      timeoutMillis,
      maxBytes: maxAnswerBytes,
      cutBody: true,
      signal,
    });
    return { status: response.status, excerpt: excerptOf(response), error: null };
  } catch (error) {
    if (signal.aborted) return 'aborted';
    // A 2xx that was seen stands, even if the rest of the answer never came.
    if (error instanceof OutboundError) return { status: error.status ?? null, excerpt: null, error: error.message };
    // Trying again at once would fail again at once: this too waits for its turn.
    parts.log.error({ err: error, delivery: delivery.id }, 'a delivery could not be sent');
    return { status: null, excerpt: null, error: 'The delivery could not be sent; the log of the service says why.' };
  }
}

/**
 * The beginning of an answer, for the merchant to see what their endpoint said. Nothing of it is trusted: no control or
 * direction characters, one line, short. An answer from a private address is not shown: it would be a way to read it.
 */
function excerptOf({ body, address }: OutboundResponse): string | null {
  if (isRefusedAddress(address, false)) return null;
  const text = body
    .toString('utf8')
    .replace(/[\p{C}\s\ufffd]+/gu, ' ')
    .trim();
  // By characters, not by units: a cut must not leave half of one.
  return text === '' ? null : [...text.slice(0, maxExcerptLength * 2)].slice(0, maxExcerptLength).join('');
}
