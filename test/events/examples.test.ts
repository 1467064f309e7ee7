import { writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EventBody, type EventKind, eventCatalog, eventExample, eventKinds } from '../../src/events/catalog.ts';
import { expireCheckouts } from '../../src/flows/expire-checkouts.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { createProduct } from '../harness/catalog.ts';
import type { Client } from '../harness/client.ts';
import { eventBodies } from '../harness/expect.ts';
import { createOrder, createOrderWithInvoice, orderBody } from '../harness/orders.ts';
import { pay, subscribe } from '../harness/subscriptions.ts';
import { until } from '../harness/until.ts';

/**
 * The examples in src/events/examples.json are bodies that were really recorded. `RECORD_EXAMPLES=1` writes anew those
 * whose members have changed. A member that disappears breaks somebody's receiver: look at the difference (case C050).
 */
const record = process.env.RECORD_EXAMPLES === '1';
const file = new URL('../../src/events/examples.json', import.meta.url);

const firing = eventKinds;
const bodies = new Map<EventKind, EventBody[]>();
let app: TestApp;

beforeAll(async () => {
  app = await openTestApp();
  const merchant = await app.newMerchant();
  const { test: client } = merchant;
  const order = { customer_email: 'ada@example.com', metadata: { note: '☕ for table 4' } };

  const paid = await createOrderWithInvoice(client, order);
  app.clock.advanceSeconds(42);
  await client.post(`/api/v1/m/invoices/${paid.invoice.id}/simulate_payment`);
  await client.patch(`/api/v1/m/orders/${paid.id}`, { order: { po_number: 'Table 4' } });

  await client.post('/api/v1/m/orders', orderBody({ ...order, tender_type: 'cash' }, { mark_as_paid: true }));
  const cancelled = await createOrder(client, order);
  await client.delete(`/api/v1/m/orders/${cancelled.id}`);

  const late = await createOrderWithInvoice(client, order);
  app.clock.advanceSeconds(1000);
  await waitForEvent(merchant.id, 'invoice.expired');
  await client.post(`/api/v1/m/invoices/${late.invoice.id}/simulate_payment`);

  await sellOnline(client);
  await refundAll(client, paid.id);
  await liveThroughSubscriptions(client);

  for (const kind of firing) bodies.set(kind, await eventBodies(app, merchant.id, kind));
});
afterAll(() => app.close());

/** A checkout is paid and another one runs out; a key is rotated, and its old one dropped. */
async function sellOnline(client: Client): Promise<void> {
  const product = await createProduct(client, { resource_type: 'digital_download' });
  const open = async (metadata: Record<string, unknown>) =>
    (await client.post('/api/v1/m/checkout_sessions', { checkout_session: { product_id: product.id, metadata } })).body;
  const bought = await open({ order_ref: 'A 17' });
  await app.app.inject({ method: 'POST', url: `/checkout/${bought.token}/simulate_payment` });
  await open({ order_ref: 'A 18' });
  app.clock.advanceSeconds(1000);
  await expireCheckouts(app.parts);

  await client.post(`/api/v1/m/products/${product.id}/rotate_key`, {});
  const key = (await client.post('/api/v1/m/media_keys', { media_key: { name: 'Films', product_ids: [product.id] } }))
    .body;
  await client.post(`/api/v1/m/media_keys/${key.id}/rotate`, {});
  await client.post(`/api/v1/m/media_keys/${key.id}/clear_old_key`, {});
}

async function refundAll(client: Client, orderId: string): Promise<void> {
  const [sale] = (await client.get(`/api/v1/m/sales?q[order_id_eq]=${orderId}`)).body.data;
  await client.post(`/api/v1/m/sales/${sale.id}/refunds`, { refund: { amount_cents: sale.total_cents } });
}

/** One is paid, renewed, late, paused and resumed until it ends; another has a trial. */
async function liveThroughSubscriptions(client: Client): Promise<void> {
  const days = (count: number) => client.post('/api/v1/m/test_clock/advance', { seconds: count * 86_400 });
  await subscribe(app, client, { trial_days: 7, metadata: { plan: 'gold' } });
  const subscription = await subscribe(app, client, { customer_name: 'Ada' });
  const change = (verb: string) => client.post(`/api/v1/m/subscriptions/${subscription.id}/${verb}`);
  await pay(app, client, subscription);
  await days(35);
  await change('pause');
  await change('resume');
  await change('cancel');
}

function waitForEvent(merchantId: string, kind: string): Promise<void> {
  return until(async () => (await eventBodies(app, merchantId, kind)).length > 0, 20_000, kind);
}

/** Every member's path with its type, such as `data.items[].qty: number`; free-form metadata only by name. */
function shapeOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((member) => shapeOf(member, `${path}[]`)))];
  if (typeof value !== 'object' || value === null || path.endsWith('metadata')) return [`${path}: ${typeof value}`];
  return Object.entries(value).flatMap(([name, member]) => shapeOf(member, path ? `${path}.${name}` : name));
}

test('every kind with a schema fires, and its data is what the schema says', () => {
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { uuid: true, 'date-time': true, email: true } });
  for (const kind of firing) {
    expect(bodies.get(kind)!.length, kind).toBeGreaterThan(0);
    const validate = ajv.compile({ ...eventCatalog[kind].data, additionalProperties: false });
    for (const body of bodies.get(kind)!) {
      const { id, event, created_at, livemode, ...rest } = body;
      expect([id, event, livemode]).toEqual([expect.stringMatching(/^evt_/), kind, false]);
      if (!eventCatalog[kind].isFlat) expect(Object.keys(rest)).toEqual(['data']);
      expect(
        validate(eventCatalog[kind].isFlat ? rest : rest.data) ? [] : ajv.errorsText(validate.errors),
        kind,
      ).toEqual([]);
    }
  }
});

test('nothing fires that is not listed', async () => {
  const rows = await app.rows<{ kind: string }>('select distinct kind from events');
  expect(firing).toEqual(expect.arrayContaining(rows.map(({ kind }) => kind)));
  expect(rows).toHaveLength(firing.length);
});

test('each kind has its recorded example, with the members it has today', () => {
  const examples = Object.fromEntries(
    firing.map((kind) => {
      const known = eventExample(kind);
      const today = bodies.get(kind)![0]!;
      const same = known && shapeOf(known).join() === shapeOf(today).join();
      if (!record)
        expect(known && shapeOf(known), `${kind}: RECORD_EXAMPLES=1 npx vitest run ${import.meta.filename}`).toEqual(
          shapeOf(today),
        );
      return [kind, same ? known : today];
    }),
  );
  if (record) writeFileSync(file, `${JSON.stringify(examples, null, 2)}\n`);
});
