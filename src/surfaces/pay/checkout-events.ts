import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { CheckoutView } from '../../model/checkout-view.ts';
import { checkoutStatus } from './checkout-json.ts';

/** Server-sent events (HTML standard): what `/status` says, at once and at each change; a comment while nothing happens. */
export function sendCheckoutEvents(reply: FastifyReply, views: AsyncIterable<CheckoutView | undefined>): FastifyReply {
  async function* pieces() {
    yield 'retry: 2000\n\n';
    for await (const view of views) {
      yield view ? `event: status\ndata: ${JSON.stringify(checkoutStatus(view))}\n\n` : ': still here\n\n';
    }
  }
  return (
    reply
      // A kept connection would outlive the stream and hold up a server that closes.
      .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'close' })
      .type('text/event-stream')
      .send(Readable.from(pieces()))
  );
}
