// Sells one thing over MCP, from the price to the sale, with the calls a model would make.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const { SATLINE_URL: baseUrl = 'http://127.0.0.1:3000', SATLINE_KEY: key, SATLINE_PAYER_KEY: payerKey } = process.env;
const [what = 'A cup of coffee', priceCents = '350'] = process.argv.slice(2);
if (!key) throw new Error('SATLINE_KEY is missing: make one with "satline key create"');

const client = new Client({ name: 'satline-example-agent', version: '0.1.0' });
await client.connect(
  new StreamableHTTPClientTransport(new URL('/api/v1/mcp', baseUrl), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  }),
);
try {
  await sell();
} finally {
  await client.close();
}

async function sell() {
  const { tools } = await client.listTools();
  console.log(`This key may use ${tools.length} tools: ${tools.map(({ name }) => name).join(', ')}`);
  const merchant = await call('get_merchant');
  console.log(`Selling for ${merchant.name}, in ${merchant.currency}`);

  const order = await call('create_order', {
    amount_cents: Number(priceCents),
    items: [{ name: what, price_cents: Number(priceCents), qty: 1 }],
    // The same key for the same sale: if the answer gets lost, asking again makes no second order.
    idempotency_key: randomUUID(),
  });
  const { id: invoiceId, payment_request: paymentRequest, amount_sats: amountSats } = order.invoice;
  console.log(`Order ${order.order_number}: ${amountSats} sats for "${what}"`);
  console.log(`The customer pays ${paymentRequest}`);
  if (payerKey) await payAsCustomer(invoiceId);

  for (;;) {
    const status = await call('check_invoice_status', { invoice_id: invoiceId });
    if (status.paid) break;
    if (status.expired) throw new Error('The invoice expired unpaid; generate_invoice makes a new one');
    await sleep(2000);
  }
  const { status, payment } = await call('get_order', { order_id: order.id });
  console.log(`Order ${order.order_number} is ${status}: ${payment.amount_sats} sats, preimage ${payment.preimage}`);
}

/** Calls a tool. What the API refuses is a result that says so: a model would read it and try something else. */
async function call(name, args = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [first] = content;
  if (first?.type !== 'text') throw new Error(`${name} answered no text`);
  const answer = JSON.parse(first.text);
  if (!isError) return answer;
  const { message, details = [] } = answer.error;
  throw new Error(`${name}: ${[message, ...details].join('; ')}`);
}

/** In test mode nobody needs a wallet: the simulated one pays. It is no tool, so that no agent pays itself. */
async function payAsCustomer(invoiceId) {
  const answer = await fetch(new URL(`/api/v1/m/invoices/${invoiceId}/simulate_payment`, baseUrl), {
    method: 'POST',
    headers: { authorization: `Bearer ${payerKey}` },
  });
  if (!answer.ok) throw new Error(`The simulated wallet did not pay: ${await answer.text()}`);
}
