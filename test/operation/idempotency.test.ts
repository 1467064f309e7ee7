import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { dynamicStatement } from '../../src/db/database.ts';
import { waitMillis } from '../../src/flows/open-invoice.ts';
import { AppError } from '../../src/kernel/errors.ts';
import type { InvoiceRequest } from '../../src/lightning/connector.ts';
import { saleLeaseSeconds } from '../../src/operation/idempotency.ts';
import { operations } from '../../src/resources/index.ts';
import { probeLeaseSeconds, probeMillis, totalBudgetMillis } from '../../src/wallets/runtime.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import type { Client, Reply } from '../harness/client.ts';
import { onPostgres } from '../harness/database.ts';
import { books, eventKinds, expectError } from '../harness/expect.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { createOrder, createOrderWithInvoice, orderBody } from '../harness/orders.ts';
import { changeWallet, testWalletId } from '../harness/wallets.ts';

if (!onPostgres) console.log('SKIPPED: two transactions at once need two connections; set TEST_DATABASE_URL');

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const orders = '/api/v1/m/orders';
const keyed = (key: string) => ({ 'idempotency-key': key });
const count = async (merchant: TestMerchant) =>
  (await app.rows('select id from orders where merchant_id = $1', [merchant.id])).length;

function expectReplay(again: Reply, first: Reply): void {
  expect(again.status).toBe(first.status);
  expect(again.body).toEqual(first.body);
  expect(again.headers['content-type']).toBe(first.headers['content-type']);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(first.headers).not.toHaveProperty('idempotent-replayed');
  expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
}

describe('the same call again', () => {
  test.each([
    ['a database operation', {}],
    ['an operation that asks a wallet', { generate_invoice: true }],
  ])('answers the first answer, whatever has happened since (case C132): %s', async (_, beside) => {
    const merchant = await app.newMerchant();
    const send = () => merchant.test.post(orders, orderBody({}, beside), keyed('one'));
    const first = await send();
    expect(first.status).toBe(201);
    await merchant.test.patch(`${orders}/${first.body.id}`, { order: { po_number: 'changed' } });
    app.clock.advanceSeconds(3600);
    expectReplay(await send(), first);
    expect(await count(merchant)).toBe(1);
    expect((await eventKinds(app, merchant.id)).filter((kind) => kind === 'order.created')).toHaveLength(1);
  });

  test('a web page may read that an answer is a repeated one, and what is left of its limit', async () => {
    const { publishable } = await app.newMerchant();
    const send = () =>
      publishable.post('/api/v1/pub/checkout_sessions', { checkout_session: { amount_cents: 500 } }, keyed('page'));
    const first = await send();
    const again = await send();
    expectReplay(again, first);
    const exposed = again.headers['access-control-expose-headers']!.split(', ');
    for (const name of ['idempotent-replayed', 'ratelimit', 'ratelimit-policy']) {
      expect(again.headers).toHaveProperty(name);
      expect(exposed).toContain(name);
    }
  });

  test('replays a PATCH, a DELETE, a cash payment, a generated invoice and a simulated payment', async () => {
    const { test: client } = await app.newMerchant();
    const [changed, gone] = [await createOrder(client), await createOrder(client)];
    const cash = await createOrder(client, { tender_type: 'cash' });
    const invoiced = await createOrder(client);
    const { invoice } = await createOrderWithInvoice(client);
    const calls: (() => Promise<Reply>)[] = [
      () => client.patch(`${orders}/${changed.id}`, { order: { metadata: { a: 1 } } }, keyed('patch')),
      () => client.delete(`${orders}/${gone.id}`, keyed('delete')),
      () => client.patch(`${orders}/${cash.id}`, { order: { status: 'paid' } }, keyed('cash')),
      () => client.post('/api/v1/m/invoices/generate', { order_id: invoiced.id }, keyed('generate')),
      () => client.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`, {}, keyed('simulate')),
    ];
    for (const call of calls) {
      const first = await call();
      expect(first.status).toBeLessThan(300);
      const before = await books(app);
      app.clock.advanceSeconds(1);
      expectReplay(await call(), first);
      expect(await books(app)).toEqual(before);
    }
  });

  test('is the same whatever order its members come in, and whatever undeclared ones stand beside', async () => {
    const merchant = await app.newMerchant();
    const first = await merchant.test.raw(
      'POST',
      orders,
      '{"order":{"total_amount_cents":5,"items":[{"name":"A","price_cents":5,"qty":1}],"metadata":{"a":1,"b":{"c":2,"d":3}}}}',
      { 'content-type': 'application/json', ...keyed('order') },
    );
    const again = await merchant.test.raw(
      'POST',
      orders,
      '{"id":7,"order":{"livemode":true,"metadata":{"b":{"d":3,"c":2},"a":1},"items":[{"qty":1,"name":" A ","price_cents":5.0}],"total_amount_cents":5}}',
      { 'content-type': 'application/json', ...keyed('order') },
    );
    expectReplay(again, first);
    expect(await count(merchant)).toBe(1);
  });
});

describe('another call with the same key', () => {
  test('with other input is refused and changes nothing', async () => {
    const merchant = await app.newMerchant();
    const first = await merchant.test.post(orders, orderBody(), keyed('one'));
    const before = await books(app);
    const others: (() => Promise<Reply>)[] = [
      () => merchant.test.post(orders, orderBody({ total_amount_cents: 501 }), keyed('one')),
      () => merchant.test.post(orders, orderBody({}, { generate_invoice: true }), keyed('one')),
      () => merchant.test.patch(`${orders}/${first.body.id}`, { order: {} }, keyed('one')),
      () => merchant.test.delete(`${orders}/${first.body.id}`, keyed('one')),
      () => merchant.test.post('/api/v1/m/invoices/generate', { order_id: first.body.id }, keyed('one')),
    ];
    for (const other of others) expectError(await other(), 'idempotency_key_reused');
    expect(await books(app)).toEqual(before);
    expectReplay(await merchant.test.post(orders, orderBody(), keyed('one')), first);
  });

  test('tells one order from another by its path', async () => {
    const { test: client } = await app.newMerchant();
    const [one, two] = [await createOrder(client), await createOrder(client)];
    expect((await client.delete(`${orders}/${one.id}`, keyed('gone'))).status).toBe(204);
    expectError(await client.delete(`${orders}/${two.id}`, keyed('gone')), 'idempotency_key_reused');
    expect((await client.get(`${orders}/${two.id}`)).body.status).toBe('pending');
  });

  test('by another credential is a call of its own', async () => {
    const [one, two] = [await app.newMerchant(), await app.newMerchant()];
    const sameMerchant = await one.narrowed('orders:write');
    const ids = new Set<string>();
    for (const client of [one.test, one.live, two.test, sameMerchant]) {
      const reply = await client.post(orders, orderBody(), keyed('shared'));
      expect(reply.status).toBe(201);
      expect(reply.headers).not.toHaveProperty('idempotent-replayed');
      ids.add(reply.body.id);
    }
    expect(ids.size).toBe(4);
  });

  test('after a day is a new call', async () => {
    const merchant = await app.newMerchant();
    const send = () => merchant.test.post(orders, orderBody(), keyed('daily'));
    const first = await send();
    app.clock.advanceSeconds(24 * 3600 - 1);
    expectReplay(await send(), first);
    app.clock.advanceSeconds(1);
    const next = await send();
    expect(next.headers).not.toHaveProperty('idempotent-replayed');
    expect(next.body.id).not.toBe(first.body.id);
  });
});

test('without a key every call is its own', async () => {
  const merchant = await app.newMerchant();
  for (let call = 0; call < 2; call++) {
    const reply = await merchant.test.post(orders, orderBody());
    expect(reply.headers).not.toHaveProperty('idempotent-replayed');
  }
  expect(await count(merchant)).toBe(2);
});

describe('a failed call does not pin its failure', () => {
  test('of the input', async () => {
    const { test: client } = await app.newMerchant();
    for (const beside of [{}, { generate_invoice: true }]) {
      const key = keyed(`input ${JSON.stringify(beside)}`);
      expect((await client.post(orders, orderBody({ currency: 'xyz' }, beside), key)).status).toBe(422);
      expect((await client.post(orders, orderBody({}, beside), key)).status).toBe(201);
    }
  });

  test('of the state', async () => {
    const { test: client } = await app.newMerchant();
    const order = await createOrderWithInvoice(client);
    const ship = () => client.patch(`${orders}/${order.id}`, { order: { status: 'shipped' } }, keyed('ship'));
    expect((await ship()).status).toBe(409);
    await client.post(`/api/v1/m/invoices/${order.invoice.id}/simulate_payment`);
    expect((await ship()).status).toBe(200);
  });

  test('of a rate', async () => {
    const { test: client } = await app.newMerchant();
    const quote = vi.spyOn(app.parts.rates.test, 'quote').mockImplementation(() => {
      throw new AppError('rate_unavailable', 'No fresh rate');
    });
    for (const beside of [{}, { generate_invoice: true }]) {
      expect((await client.post(orders, orderBody({}, beside), keyed(JSON.stringify(beside)))).status).toBe(503);
    }
    quote.mockRestore();
    for (const beside of [{}, { generate_invoice: true }]) {
      expect((await client.post(orders, orderBody({}, beside), keyed(JSON.stringify(beside)))).status).toBe(201);
    }
  });

  test.each(['create', 'generate', 'simulate'])('of a wallet: %s', async (name) => {
    const merchant = await app.newMerchant();
    const { test: client } = merchant;
    const order = await createOrder(client);
    const { invoice } = await createOrderWithInvoice(client);
    const calls: Record<string, () => Promise<Reply>> = {
      create: () => client.post(orders, orderBody({}, { generate_invoice: true }), keyed('wallet')),
      generate: () => client.post('/api/v1/m/invoices/generate', { order_id: order.id }, keyed('wallet')),
      simulate: () => client.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`, {}, keyed('wallet')),
    };
    const walletId = await testWalletId(app, merchant);
    await changeWallet(app, walletId, { settings: { fail: true } });
    const before = await books(app);
    expect((await calls[name]!()).status).toBe(503);
    expect(await books(app)).toEqual(before);
    expect(await app.rows('select key from idempotency_keys where credential_id = $1', [client.id])).toEqual([]);
    await changeWallet(app, walletId, { settings: {} });
    const retried = await calls[name]!();
    expect(retried.status).toBeLessThan(300);
    expectReplay(await calls[name]!(), retried);
  });

  test('that nobody expected', async () => {
    const merchant = await app.newMerchant();
    for (const beside of [{}, { generate_invoice: true }]) {
      const key = keyed(`unexpected ${JSON.stringify(beside)}`);
      const now = vi.spyOn(app.parts.rates.test, 'quote').mockImplementation(() => {
        throw new TypeError('a bug with internal details');
      });
      const reply = await merchant.test.post(orders, orderBody({}, beside), key);
      expectError(reply, 'internal_error');
      expect(JSON.stringify(reply.body)).not.toContain('internal details');
      now.mockRestore();
      expect((await merchant.test.post(orders, orderBody({}, beside), key)).status).toBe(201);
    }
  });
});

describe('the key itself', () => {
  test.each([
    ['', false],
    ['a', true],
    [' a b/c ~', true],
    ['k'.repeat(255), true],
    ['k'.repeat(256), false],
    ['tab\there', false],
    ['ümlaut', false],
  ])('%j', async (key, good) => {
    const { test: client } = await app.newMerchant();
    const reply = await client.post(orders, orderBody(), keyed(key));
    if (good) expect(reply.status).toBe(201);
    else {
      expectError(reply, 'validation_error', {
        message: 'Validation failed',
        details: ['Idempotency-Key must have 1 to 255 printable ASCII characters'],
      });
    }
  });

  test('is ignored on reads', async () => {
    const { test: client } = await app.newMerchant();
    const first = await client.get(orders, keyed('k'.repeat(999)));
    expect(first.status).toBe(200);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
  });

  test('is looked at after key and input', async () => {
    const { test: client } = await app.newMerchant();
    expectError(await app.stranger.post(orders, orderBody(), keyed('')), 'missing_token');
    await client.post(orders, orderBody(), keyed('valid'));
    expect((await client.post(orders, {}, keyed('valid'))).body.error.code).toBe('validation_error');
  });
});

test('what is kept is sealed: neither answer nor what was decided can be read in the table', async () => {
  const { test: client } = await app.newMerchant();
  const marker = 'very-private-customer-note';
  const body = orderBody(
    { metadata: { note: marker }, customer_email: 'private@example.com' },
    { generate_invoice: true },
  );
  const reply = await client.post(orders, body, keyed('sealed'));
  const rows = await app.rows<Record<string, unknown>>('select * from idempotency_keys where credential_id = $1', [
    client.id,
  ]);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ key: 'sealed', state: 'done', status: 201, frozen: null });
  const readable = Object.values(rows[0]!)
    .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : JSON.stringify(value)))
    .join('\n');
  for (const secret of [marker, 'private@example.com', reply.body.id, reply.body.invoice.payment_request]) {
    expect(readable).not.toContain(secret);
  }
});

test('a sealed answer moved to another key does not open', async () => {
  const { test: client } = await app.newMerchant();
  const first = await client.post(orders, orderBody(), keyed('mine'));
  await client.post(orders, orderBody(), keyed('other'));
  await app.rows(
    `update idempotency_keys set answer = (select answer from idempotency_keys where credential_id = $1 and key = 'mine')
      where credential_id = $1 and key = 'other'`,
    [client.id],
  );
  const moved = await client.post(orders, orderBody(), keyed('other'));
  expectError(moved, 'internal_error');
  expect(JSON.stringify(moved.body)).not.toContain(first.body.id);
});

describe('at the same moment', () => {
  async function together(client: Client, beside: Record<string, unknown>): Promise<Reply[]> {
    return Promise.all(Array.from({ length: 6 }, () => client.post(orders, orderBody({}, beside), keyed('at once'))));
  }

  test.each([{}, { generate_invoice: true }])('the call is made once: %j', async (beside) => {
    const merchant = await app.newMerchant();
    const replies = await together(merchant.test, beside);
    const made = replies.filter((reply) => reply.status === 201);
    for (const reply of replies) {
      if (reply.status === 201) continue;
      expectError(reply, 'idempotency_in_progress');
      expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    expect(new Set(made.map((reply) => reply.body.id)).size).toBe(1);
    expect(made.filter((reply) => !reply.headers['idempotent-replayed'])).toHaveLength(1);
    expect(await count(merchant)).toBe(1);
  });

  test('a call that is still asking its wallet answers 409 to the others, then replays', async () => {
    const merchant = await app.newMerchant();
    await changeWallet(app, await testWalletId(app, merchant), { settings: { delayMs: 400 } });
    const send = () => merchant.test.post(orders, orderBody({}, { generate_invoice: true }), keyed('slow'));
    const slow = send();
    await vi.waitFor(async () => {
      const rows = await app.rows('select state from idempotency_keys where credential_id = $1', [merchant.test.id]);
      expect(rows).toEqual([{ state: 'started' }]);
    });
    const meanwhile = await send();
    expectError(meanwhile, 'idempotency_in_progress');
    expect(meanwhile.headers['retry-after']).toBe('1');
    const other = await merchant.test.post(orders, orderBody({ total_amount_cents: 1 }), keyed('slow'));
    expectError(other, 'idempotency_key_reused');
    const first = await slow;
    expect(first.status).toBe(201);
    expectReplay(await send(), first);
  });

  test.runIf(onPostgres)('a database operation under way answers 409 to the others', async () => {
    const merchant = await app.newMerchant();
    const order = await createOrder(merchant.test);
    let unlock = () => {};
    const locked = new Promise<void>((resolve) => {
      unlock = resolve;
    });
    let holding = () => {};
    const held = new Promise<void>((resolve) => {
      holding = resolve;
    });
    const blocker = app.parts.db.transaction(async (tx) => {
      await tx.many(dynamicStatement('select id from orders where id = $1 for update'), [order.id]);
      holding();
      await locked;
    });
    await held;
    const send = () => merchant.test.delete(`${orders}/${order.id}`, keyed('busy'));
    const first = send();
    // The first call holds its key while it waits for the order.
    await vi.waitFor(async () => {
      const [row] = await app.rows<{ waiting: number }>(
        `select count(*)::int as waiting from pg_locks where not granted and database =
           (select oid from pg_database where datname = current_database()) or (locktype = 'transactionid' and not granted)`,
      );
      expect(row!.waiting).toBeGreaterThan(0);
    });
    const second = await send();
    expectError(second, 'idempotency_in_progress');
    expect(second.headers['retry-after']).toBe('1');
    unlock();
    await blocker;
    expect((await first).status).toBe(204);
    expectReplay(await send(), await first);
  });
});

describe('a process that dies while asking', () => {
  /** Leaves the key as a crash between asking and writing leaves it. Returns what the wallet was asked for. */
  async function crash(client: Client, key: string, leaseIsOut: boolean): Promise<InvoiceRequest> {
    const spy = vi.spyOn(app.parts.wallets, 'createInvoice').mockImplementation(() => new Promise(() => {}));
    void client.post(orders, orderBody({}, { generate_invoice: true }), keyed(key));
    await vi.waitFor(() => expect(spy).toHaveBeenCalled());
    const [, request] = spy.mock.calls[0]!;
    spy.mockRestore();
    if (leaseIsOut) {
      await app.rows(
        `update idempotency_keys set lease_until = clock_timestamp() - interval '1 second' where credential_id = $1`,
        [client.id],
      );
    }
    return request;
  }

  test('keeps the key until its lease is out', async () => {
    const merchant = await app.newMerchant();
    await crash(merchant.test, 'dead', false);
    const reply = await merchant.test.post(orders, orderBody({}, { generate_invoice: true }), keyed('dead'));
    expectError(reply, 'idempotency_in_progress');
  });

  test('leaves the next call the same ids, rate and number', async () => {
    const merchant = await app.newMerchant();
    const before = await crash(merchant.test, 'dead', true);
    const asked = vi.spyOn(app.parts.wallets, 'createInvoice');
    app.clock.advanceSeconds(30);
    const reply = await merchant.test.post(orders, orderBody({}, { generate_invoice: true }), keyed('dead'));
    expect(reply.status).toBe(201);
    expect(reply.body.order_number).toBe('ORD-000001');
    expect(asked.mock.calls[0]![1]).toEqual(before);
    const { body: shown } = await merchant.test.get(`${orders}/${reply.body.id}?expand=invoice`);
    const { merchant: _, ...plain } = shown;
    expect(plain).toEqual(reply.body);
    expect(await count(merchant)).toBe(1);
  });
});

test('a key outlives everything that a call with it may wait for, and a sale’s is free again within 25 s', () => {
  expect(saleLeaseSeconds * 1000).toBeGreaterThan(totalBudgetMillis + waitMillis);
  expect(saleLeaseSeconds).toBeLessThanOrEqual(25);
  expect(probeLeaseSeconds * 1000).toBeGreaterThan(probeMillis + totalBudgetMillis);
  const longer = operations.filter(({ steps }) => steps?.leaseSeconds !== undefined);
  expect(longer.map(({ name, steps }) => [name, steps!.leaseSeconds])).toEqual([
    ['create_wallet', probeLeaseSeconds],
    ['probe_wallet', probeLeaseSeconds],
  ]);
});
