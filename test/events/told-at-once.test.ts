import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expireCheckouts } from '../../src/flows/expire-checkouts.ts';
import { lookUpInvoice } from '../../src/flows/look-up-invoice.ts';
import { findInvoiceForJob } from '../../src/store/invoices.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { createProduct } from '../harness/catalog.ts';
import type { Reply } from '../harness/client.ts';
import { createOrder, createOrderWithInvoice } from '../harness/orders.ts';
import { act, invite, runBilling, subscribe } from '../harness/subscriptions.ts';
import { newVisitorAddress } from '../harness/visitors.ts';
import { createWebhook } from '../harness/webhooks.ts';

/**
 * Whoever sends or shows events also looks for them unasked, so a signal that is never given goes unnoticed but for the
 * time that is lost. Here nobody looks: each change has to give it by itself.
 */
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

/** Makes ready; what it answers is done while somebody listens. */
type Change = (merchant: TestMerchant) => Promise<() => Promise<unknown>>;

const session = async ({ test: client }: TestMerchant) =>
  (await client.post('/api/v1/checkout_sessions', { checkout_session: { amount_cents: 500 } })).body;
const subscription =
  (deed: string): Change =>
  async ({ test: client }) => {
    const { id } = await subscribe(app, client);
    if (deed === 'resume') await client.post(`/api/v1/m/subscriptions/${id}/pause`);
    return () => client.post(`/api/v1/m/subscriptions/${id}/${deed}`);
  };
const rotated = async ({ test: client }: TestMerchant, path: string) => {
  const reply = await client.post(path);
  if (reply.status !== 200) throw new Error(`Not rotated: ${JSON.stringify(reply.body)}`);
};
const mediaKey = async ({ test: client }: TestMerchant) =>
  `/api/v1/m/media_keys/${(await client.post('/api/v1/m/media_keys', { media_key: { name: 'Films' } })).body.id}`;
const lockedProduct = async (merchant: TestMerchant) =>
  `/api/v1/m/products/${(await createProduct(merchant.test, { resource_type: 'digital_download' })).id}`;

const changes: Record<string, Change> = {
  'an order':
    async ({ test: client }) =>
    () =>
      createOrder(client),
  'an order with its invoice':
    async ({ test: client }) =>
    () =>
      createOrderWithInvoice(client),
  'a change of an order': async ({ test: client }) => {
    const { id } = await createOrder(client);
    return () => client.patch(`/api/v1/m/orders/${id}`, { order: { po_number: 'x' } });
  },
  'cash for an order': async ({ test: client }) => {
    const { id } = await createOrder(client, { tender_type: 'cash' });
    return () => client.patch(`/api/v1/m/orders/${id}`, { order: { status: 'paid' } });
  },
  'the end of an order': async ({ test: client }) => {
    const { id } = await createOrder(client);
    return () => client.delete(`/api/v1/m/orders/${id}`);
  },
  'an invoice': async ({ test: client }) => {
    const { id } = await createOrder(client);
    return () => client.post('/api/v1/m/invoices/generate', { order_id: id });
  },
  'a payment': async ({ test: client }) => {
    const { invoice } = await createOrderWithInvoice(client);
    return () => client.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`);
  },
  'an invoice that ran out': async ({ test: client }) => {
    const { invoice } = await createOrderWithInvoice(client);
    app.clock.advanceSeconds(3601);
    const row = (await findInvoiceForJob(app.parts.db, invoice.id, app.clock.now()))!;
    return () => lookUpInvoice(app.parts, row, app.parts.stopping);
  },
  'a payment request':
    async ({ test: client }) =>
    () =>
      client.post('/api/v1/m/payment_requests', {
        payment_request: { amount_cents: 500, payment_method: 'lightning', description: 'Coffee' },
      }),
  'a refund': async ({ test: client }) => {
    const { id } = await createOrder(client, { tender_type: 'cash' });
    await client.patch(`/api/v1/m/orders/${id}`, { order: { status: 'paid' } });
    const { body } = await client.get('/api/v1/m/sales');
    return () => client.post(`/api/v1/m/sales/${body.data[0].id}/refunds`, { refund: { amount_cents: 500 } });
  },
  'a checkout that is first looked at': async (merchant) => {
    const { token } = await session(merchant);
    return () => app.stranger.from(newVisitorAddress()).get(`/checkout/${token}/status`);
  },
  'the end of a checkout': async (merchant) => {
    const { id, token } = await session(merchant);
    await app.stranger.from(newVisitorAddress()).get(`/checkout/${token}/status`);
    return () => merchant.test.post(`/api/v1/checkout_sessions/${id}/cancel`);
  },
  'a checkout that ran out': async (merchant) => {
    await session(merchant);
    app.clock.advanceSeconds(901);
    return () => expireCheckouts(app.parts);
  },
  'a media key’s new material': async (merchant) => {
    const key = await mediaKey(merchant);
    return () => merchant.test.post(`${key}/rotate`);
  },
  'the end of a media key’s old material': async (merchant) => {
    const key = await mediaKey(merchant);
    await rotated(merchant, `${key}/rotate`);
    return () => merchant.test.post(`${key}/clear_old_key`);
  },
  'a product’s new key': async (merchant) => {
    const product = await lockedProduct(merchant);
    return () => merchant.test.post(`${product}/rotate_key`);
  },
  'the end of a product’s old key': async (merchant) => {
    const product = await lockedProduct(merchant);
    await rotated(merchant, `${product}/rotate_key`);
    return () => merchant.test.post(`${product}/clear_old_key`);
  },
  'an invitation to subscribe':
    async ({ test: client }) =>
    () =>
      invite(client),
  'a subscriber who accepts': async ({ test: client }) => {
    const invited = await invite(client);
    return () => act(app, invited, 'accept');
  },
  'a subscriber who leaves': async ({ test: client }) => {
    const subscribed = await subscribe(app, client);
    return () => act(app, subscribed, 'cancel');
  },
  'a pause': subscription('pause'),
  'a subscription that goes on': subscription('resume'),
  'the end of a subscription': subscription('cancel'),
  'a period that is billed': async ({ test: client }) => {
    await subscribe(app, client);
    app.clock.advanceSeconds(32 * 86_400);
    return () => runBilling(app);
  },
  'a test clock that brings a period': async ({ test: client }) => {
    await subscribe(app, client);
    return () => client.post('/api/v1/m/test_clock/advance', { seconds: 32 * 86_400 });
  },
};

/** @returns the merchants that were named by signals meanwhile. */
async function listenDuring(work: () => Promise<unknown>): Promise<string[]> {
  const heard: string[] = [];
  const stopListening = app.parts.db.onWake('event_recorded', (merchantId) => heard.push(merchantId));
  await work();
  stopListening();
  return heard;
}

const countEvents = async ({ id }: TestMerchant) =>
  (await app.rows('select from events where merchant_id = $1', [id])).length;

describe('whoever listens hears at once of', () => {
  test.each(Object.keys(changes))('%s', async (name) => {
    const merchant = await app.newMerchant();
    const change = await changes[name]!(merchant);
    const before = await countEvents(merchant);
    let answer: unknown;
    const heard = await listenDuring(async () => {
      answer = await change();
    });
    expect(await countEvents(merchant), JSON.stringify((answer as Partial<Reply>)?.body)).toBeGreaterThan(before);
    expect(heard).toContain(merchant.id);
  });
});

test('whoever listens hears at once of deliveries that are asked for again', async () => {
  const merchant = await app.newMerchant();
  const { test: client } = merchant;
  const webhook = await createWebhook(client, 'https://shop.example/hook');
  await createOrder(client);
  const path = `/api/v1/m/webhooks/${webhook.id}`;
  const [delivery] = (await client.get(`${path}/deliveries`)).body.data;
  const since = app.clock.now().toISOString();
  const calls = [
    () => client.post(`${path}/test`),
    () => client.post(`${path}/deliveries/${delivery.id}/redeliver`),
    () => client.post(`${path}/redeliver`, { since }),
    () => client.patch(path, { webhook: { active: true } }),
  ];
  for (const [index, call] of calls.entries()) {
    const heard = await listenDuring(async () => expect([index, (await call()).status < 300]).toEqual([index, true]));
    expect([index, heard]).toEqual([index, [merchant.id]]);
  }
});
