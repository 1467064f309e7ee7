import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Answer } from '../../operation/answer.ts';

/** Aborts when the peer is gone, or one of the others aborts. */
export function goneSignal(reply: FastifyReply, ...others: AbortSignal[]): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, ...others]);
}

/**
 * Sends an answer that goes on. The credential is looked at again before each piece: a revoked key hears nothing more.
 * @param admit throws when the caller may not go on.
 */
export function sendStream(reply: FastifyReply, answer: Answer, admit: () => Promise<unknown>): FastifyReply {
  reply
    .code(answer.status)
    // A kept connection would outlive the stream and hold up a server that closes.
    .headers({ ...answer.headers, 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' })
    .type(answer.mediaType!);
  return reply.send(Readable.from(whileAdmitted(answer.stream!, admit)));
}

async function* whileAdmitted(pieces: AsyncIterable<string>, admit: () => Promise<unknown>): AsyncGenerator<string> {
  for await (const piece of pieces) {
    try {
      await admit();
    } catch {
      return;
    }
    yield piece;
  }
}
