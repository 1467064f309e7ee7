import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decodeBolt11 } from '../../../src/lightning/bolt11.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { a32ByteHex, anId, books, eventKinds, expectError, expectInvalid } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { changeWallet, testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const path = '/api/v1/m/payment_requests';
const body = (members: Record<string, unknown> = {}) => ({
  payment_request: { amount_cents: 700, payment_method: 'lightning', description: 'Ωμέγα ☂ 数', ...members },
});

async function make(merchant: TestMerchant): Promise<string> {
  return (await merchant.test.post(path, body())).body.id;
}

describe('creating', () => {
  describeRefusals(() => app, {
    method: 'POST',
    path: () => path,
    body: () => body(),
    permission: 'payments:write',
    success: 201,
  });

  test('answers every member; the text reaches the payer’s wallet unchanged', async () => {
    const merchant = await app.newMerchant();
    const reply = await merchant.test.post(path, body({ customer_email: ' a+b@example.com ', metadata: { ref: 'A' } }));
    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      object: 'payment_request',
      livemode: false,
      id: anId(),
      payment_method: 'lightning',
      amount_sats: 7000,
      amount_cents: 700,
      description: 'Ωμέγα ☂ 数',
      order_id: anId(),
      created_at: '2027-03-01T10:00:00.000Z',
      expires_at: '2027-03-01T10:15:00.000Z',
      payment_request: expect.stringMatching(/^lnbcrt/),
      payment_hash: a32ByteHex(),
    });
    const invoice = decodeBolt11(reply.body.payment_request);
    expect(invoice.amountMsat).toBe(7_000_000n);
    expect(invoice.description).toBe('Ωμέγα ☂ 数');
    const order = (await merchant.test.get(`/api/v1/m/orders/${reply.body.order_id}`)).body;
    expect(order).toMatchObject({
      items: [{ name: 'Ωμέγα ☂ 数', price_cents: 700, qty: 1 }],
      customer_email: 'a+b@example.com',
      metadata: { ref: 'A' },
    });
    expect(await eventKinds(app, merchant.id)).toEqual(['order.created', 'invoice.created']);
  });

  test.each([
    ['another payment method', { payment_method: 'card' }, 'payment_method must be lightning'],
    ['a fraction', { amount_cents: 19.99 }, 'amount_cents must be a whole number'],
    ['no amount', { amount_cents: undefined }, 'amount_cents is required'],
    ['no description', { description: undefined }, 'description is required'],
    ['a blank description', { description: '  ' }, 'description must not be empty'],
    ['a broken e-mail address', { customer_email: 'a@b..co' }, 'customer_email must be an e-mail address'],
    ['an unknown currency', { currency: 'xyz' }, 'currency must be a known currency code'],
    ['an amount of 0', { amount_cents: 0 }, 'an order of 0 gets no invoice; ask for an amount above 0'],
  ])('refuses %s', async (_name, members, sentence) => {
    const { test: client } = await app.newMerchant();
    const before = await books(app);
    expectInvalid(await client.post(path, body(members)), sentence);
    expect(await books(app)).toEqual(before);
  });

  test('says which limit an amount is over', async () => {
    const merchant = await app.newMerchant();
    await changeWallet(app, await testWalletId(app, merchant), { max_payment_sats: 6999 });
    const reply = await merchant.test.post(path, body());
    expectError(reply, 'amount_exceeds_wallet_limits', { message: /7000 sats.*6999 sats/ });
  });

  test('answers the same for the same Idempotency-Key', async () => {
    const { test: client } = await app.newMerchant();
    const first = await client.post(path, body(), { 'idempotency-key': 'lesson-1' });
    const again = await client.post(path, body(), { 'idempotency-key': 'lesson-1' });
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});

for (const suffix of ['', '/status'] as const) {
  describe(`GET {id}${suffix}`, () => {
    describeRefusals(() => app, {
      method: 'GET',
      path: (id) => `${path}/${id}${suffix}`,
      permission: 'payments:read',
      resource: 'Payment request',
      make,
    });
  });
}

describe('paying', () => {
  describeRefusals(() => app, {
    method: 'POST',
    path: (id) => `${path}/${id}/simulate_payment`,
    permission: 'payments:write',
    resource: 'Payment request',
    make,
  });

  test('is seen in show and status, once', async () => {
    const merchant = await app.newMerchant();
    const made = (await merchant.test.post(path, body())).body;
    const pending = { status: 'pending', paid_at: null, amount_paid_sats: null };
    expect((await merchant.test.get(`${path}/${made.id}`)).body).toEqual({ ...made, ...pending });

    app.clock.advanceSeconds(60);
    const payment = await merchant.test.post(`${path}/${made.id}/simulate_payment`);
    expect(payment.body).toMatchObject({ object: 'payment', amount_sats: 7000, payment_hash: made.payment_hash });
    expect((await merchant.test.post(`${path}/${made.id}/simulate_payment`)).body).toEqual(payment.body);

    const paid = { status: 'paid', paid_at: payment.body.settled_at, amount_paid_sats: 7000 };
    expect((await merchant.test.get(`${path}/${made.id}`)).body).toEqual({ ...made, ...paid });
    expect((await merchant.test.get(`${path}/${made.id}/status`)).body).toEqual({
      id: made.id,
      amount_sats: 7000,
      ...paid,
    });
    const sales = (await merchant.test.get('/api/v1/m/sales')).body.data;
    expect(sales).toHaveLength(1);
    expect(sales[0]).toMatchObject({ source: 'payment_request', order_id: made.order_id });
  });

  test.each(['a newer invoice', 'cash'])(
    'is paid with its order by %s, and paying it again answers that',
    async (by) => {
      const merchant = await app.newMerchant();
      const made = (await merchant.test.post(path, body())).body;
      app.clock.advanceSeconds(901);
      const order = `/api/v1/m/orders/${made.order_id}`;
      if (by === 'cash') {
        await merchant.test.patch(order, { order: { tender_type: 'cash', status: 'paid' } });
      } else {
        const { body: newer } = await merchant.test.post('/api/v1/m/invoices/generate', { order_id: made.order_id });
        const { body: payment } = await merchant.test.post(`/api/v1/m/invoices/${newer.id}/simulate_payment`);
        expect((await merchant.test.post(`${path}/${made.id}/simulate_payment`)).body).toEqual(payment);
      }
      const paid = {
        status: 'paid',
        paid_at: app.clock.now().toISOString(),
        amount_paid_sats: by === 'cash' ? null : 7000,
      };
      expect((await merchant.test.get(`${path}/${made.id}`)).body).toEqual({ ...made, ...paid });
      expect((await merchant.test.get(`${path}/${made.id}/status`)).body).toMatchObject(paid);
      expect((await merchant.test.get(order)).body).toMatchObject({ status: 'paid', attention: null });
    },
  );

  test('reads expired by the clock alone', async () => {
    const { test: client } = await app.newMerchant();
    const made = (await client.post(path, body())).body;
    app.clock.advanceSeconds(901);
    expect((await client.get(`${path}/${made.id}`)).body.status).toBe('expired');
  });
});
