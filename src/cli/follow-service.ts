import { setTimeout as sleep } from 'node:timers/promises';
import { CliFailure } from './failure.ts';
import type { RunningService, ServiceOptions } from './running-service.ts';
import { readMessages, type StreamMessage } from './stream-messages.ts';

const longestPauseMillis = 10_000;

/**
 * The events of a running service, one after the other, until `signal` aborts. A connection that breaks is opened again
 * behind the last event; nothing is missed meanwhile. @throws {CliFailure} when the service refuses.
 * @param note is told what a person at the terminal should know.
 */
export async function* followService(
  service: RunningService,
  { after, types }: ServiceOptions,
  signal: AbortSignal,
  note: (text: string) => void,
): AsyncGenerator<StreamMessage> {
  const query = new URLSearchParams();
  if (after !== undefined) query.set('after', after);
  if (types) query.set('q[type_in]', types.join(','));
  let lastId: string | undefined;
  let pauseMillis = 500;
  while (!signal.aborted) {
    try {
      const response = await open(service, query, lastId, signal);
      note(`Following ${service.url}${lastId === undefined ? '' : ' again'}. Ctrl-C ends it.`);
      pauseMillis = 500;
      for await (const message of readMessages(response.body!)) {
        if (message.id !== '') lastId = message.id;
        if (message.data !== '') yield message;
      }
      note('The service has closed the stream.');
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CliFailure && !(error instanceof TryAgain)) throw error;
      if (lastId === undefined && !(error instanceof TryAgain)) throw unreachable(service, error);
      note(error instanceof TryAgain ? error.message : `No connection to ${service.url}; trying again.`);
    }
    await sleep(pauseMillis, undefined, { signal }).catch(() => {});
    pauseMillis = Math.min(longestPauseMillis, pauseMillis * 2);
  }
}

/** The service is there and cannot serve now. */
class TryAgain extends CliFailure {}

async function open(
  { url, key }: RunningService,
  query: URLSearchParams,
  lastId: string | undefined,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch(`${url}/api/v1/m/events/stream?${query}`, {
    headers: {
      accept: 'text/event-stream',
      authorization: `Bearer ${key}`,
      ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
    },
    redirect: 'error',
    signal,
  });
  if (response.ok && response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  const text = await response.text().catch(() => '');
  const sentence = `${url} answers ${response.status}: ${messageOf(text) ?? 'this is no event stream of Satline'}.`;
  if (response.status === 429 || response.status >= 500) throw new TryAgain(sentence);
  throw new CliFailure(sentence);
}

function messageOf(text: string): string | undefined {
  try {
    const { message, details } = (JSON.parse(text) as { error: { message: string; details?: string[] } }).error;
    return details?.join('; ') ?? message;
  } catch {
    return undefined;
  }
}

function unreachable({ url }: RunningService, cause: unknown): CliFailure {
  return new CliFailure(`Nothing answers at ${url}. See that the service runs and that the address is right.`, {
    cause,
  });
}
