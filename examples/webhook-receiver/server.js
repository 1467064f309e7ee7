// Receives Satline webhooks: verifies them, drops what it has seen, answers quickly.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, WebhookVerificationError } from '@satline/sdk';

const secret = process.env.WEBHOOK_SECRET;
if (!secret) throw new Error('Set WEBHOOK_SECRET to the secret_key of the webhook');
const mostBytes = 1024 * 1024;

// Deliveries come at least once, so a receiver has to know what it has done. Keep these ids where you keep the results,
// and write both in one transaction; a set in memory is only good for an example.
const done = new Set();

function handle(event) {
  switch (event.event) {
    case 'order.paid':
      console.log(`paid: ${event.data.order_number}, note: ${JSON.stringify(event.data.metadata.note ?? null)}`);
      break;
    default:
      console.log(`event: ${event.event}`);
  }
}

const server = createServer(async (request, response) => {
  try {
    if (request.method !== 'POST') return response.writeHead(405).end();
    if (Number(request.headers['content-length'] ?? 0) > mostBytes) return response.writeHead(413).end();
    const event = verifyWebhook(await buffer(request), request.headers, secret);
    if (!done.has(event.id)) {
      handle(event);
      done.add(event.id);
    }
    // Any 2xx will do. Whatever takes long belongs behind the answer: after 10 seconds the delivery counts as failed.
    response.writeHead(204).end();
  } catch (error) {
    if (error instanceof WebhookVerificationError) {
      console.error(`refused: ${error.code}`);
      response.writeHead(400).end();
    } else {
      // Not our day: the delivery comes again after 1 minute, 5 minutes, 30 minutes and 2 hours.
      console.error(error);
      response.writeHead(500).end();
    }
  }
});

server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => {
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  console.log(`listening on http://127.0.0.1:${port}/hook`);
});
