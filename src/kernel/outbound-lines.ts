import type { Dispatcher } from 'undici';
import type { TrackedOptions } from './outbound-connect.ts';
import { connectionError, OutboundError } from './outbound-error.ts';

/** Longer lines than this end the stream: nobody who means well sends them. Characters. */
const longestLine = 256 * 1024;

/**
 * The lines of an answer as they come. Ends when the server ends it.
 * @throws {OutboundError} when it cannot be had, or breaks off.
 */
export async function* openLines(
  agent: Dispatcher,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let status: number | undefined;
  try {
    const options: TrackedOptions & Dispatcher.RequestOptions = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers,
      signal,
      // A server may have nothing to say for minutes, and some send their headers with the first line.
      headersTimeout: 300_000,
      track: {},
    };
    const answer = await agent.request(options);
    status = answer.statusCode;
    if (status !== 200) {
      answer.body.destroy();
      throw new OutboundError('unreachable', `${url.host} answered with HTTP status ${status}.`, { status });
    }
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of answer.body) {
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n');
      rest = lines.pop()!;
      if (rest.length > longestLine) throw new OutboundError('too_large', `${url.host} sent a line without an end.`);
      yield* lines.filter((line) => line.trim() !== '');
    }
  } catch (error) {
    throw connectionError(url.host, error as Error, status);
  }
}
