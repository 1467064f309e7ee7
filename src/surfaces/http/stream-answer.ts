import { setMaxListeners } from 'node:events';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Answer } from '../../operation/answer.ts';

/** Aborts when the peer is gone, or one of the others aborts. */
export function goneSignal(reply: Pick<FastifyReply, 'raw'>, ...others: AbortSignal[]): AbortSignal {
  const gone = new AbortController();
  // Not AbortSignal.any: what it ties to a signal that lives as long as the process is never let go of (Node 20).
  const end = () => {
    for (const other of others) other.removeEventListener('abort', end);
    gone.abort();
  };
  reply.raw.once('close', end);
  // It may have left while its credential was looked up.
  if (reply.raw.destroyed) end();
  setMaxListeners(0, ...others);
  for (const other of others) {
    if (gone.signal.aborted || other.aborted) end();
    else other.addEventListener('abort', end, { once: true });
  }
  return gone.signal;
}

/**
 * Sends an answer that goes on. The credential is looked at again before each piece: a revoked key hears nothing more.
 * @param admit throws when the caller may not go on.
 * @param isWhole whether a piece that is missing makes the rest wrong: then the connection breaks where it ends early.
 */
export function sendStream(
  reply: FastifyReply,
  answer: Answer,
  admit: () => Promise<unknown>,
  isWhole = false,
): FastifyReply {
  reply
    .code(answer.status)
    // A kept connection would outlive the stream and hold up a server that closes.
    .headers({ ...answer.headers, 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' })
    .type(answer.mediaType!);
  // One piece ahead of the reader: more would be memory that a slow one holds.
  return reply.send(Readable.from(whileAdmitted(answer.stream!, admit, isWhole), { highWaterMark: 1 }));
}

async function* whileAdmitted(
  pieces: AsyncIterable<string>,
  admit: () => Promise<unknown>,
  isWhole: boolean,
): AsyncGenerator<string> {
  for await (const piece of pieces) {
    try {
      await admit();
    } catch (error) {
      if (isWhole) throw error;
      return;
    }
    yield piece;
  }
}
