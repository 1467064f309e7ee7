import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { askWallet } from '../../src/flows/ask-wallet.ts';
import { eraseCredentials } from '../../src/jobs/follow-wallets.ts';
import type { InvoiceRequest } from '../../src/lightning/connector.ts';
import { findInvoiceForJob } from '../../src/store/invoices.ts';
import { setWalletEnabled } from '../../src/store/wallets.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { fail, gate, hangForGood, refuse } from '../harness/fake-wallet.ts';
import { createOrderWithInvoice, orderBody } from '../harness/orders.ts';
import { until } from '../harness/until.ts';
import { addWallet, changeWallet, testWalletId } from '../harness/wallets.ts';
import { LnurlServer } from '../support/lnurl-server.ts';
import { type FakeShop, openFakeShop } from './fake-shop.ts';

let app: TestApp;
let shop: FakeShop;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
beforeEach(async () => {
  shop = await openFakeShop(app);
});
afterEach(() => shop.close());
afterAll(() => app.close());

const connect: FakeShop['connect'] = (...members) => shop.connect(...members);
const create: FakeShop['create'] = (order) => shop.create(order);
const health: FakeShop['health'] = (id) => shop.health(id);

describe('which wallet', () => {
  test('the first in line that is enabled and can take the amount', async () => {
    const { ids, fakes } = await connect({ enabled: false }, { max_sats: 4999 }, { min_sats: 5001 }, {}, {});
    const { body } = await create();
    expect(body.wallet_id).toBe(ids[3]);
    expect(fakes.map((fake) => fake.created.length)).toEqual([0, 0, 0, 1, 0]);
  });

  test('limits are met exactly, the merchant’s own ceiling counts, and a wallet that was named is the only one', async () => {
    const { ids } = await connect({ max_sats: 5000, min_sats: 5000 }, { max_payment_sats: 4999 }, {});
    expect((await create()).body.wallet_id).toBe(ids[0]);
    expect((await create({ wallet_id: ids[2] })).body.wallet_id).toBe(ids[2]);
    const refused = await create({ wallet_id: ids[1] });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'amount_exceeds_wallet_limits']);
  });

  test('what fits none is refused before any call', async () => {
    const { fakes } = await connect({ max_sats: 100 }, { max_payment_sats: 4000 });
    const large = await create();
    expect([large.status, large.body.error.code]).toEqual([422, 'amount_exceeds_wallet_limits']);
    expect(large.body.error.message).toContain('4000');

    await connect({ min_sats: 6000 }, { min_sats: 7000 }, { max_sats: 10 });
    const small = await create();
    expect([small.status, small.body.error.code]).toEqual([422, 'validation_error']);
    expect(JSON.stringify(small.body.error.details)).toContain('6000');
    expect(fakes.every((fake) => fake.created.length === 0)).toBe(true);
    expect(await app.rows('select id from orders where merchant_id = $1', [shop.merchant.id])).toEqual([]);
  });

  test('more than all bitcoin fits none, and asking for it says nothing of a wallet that is well', async () => {
    const { ids, fakes } = await connect({});
    const mostCents = 210_000_000_000_000;
    const refused = await create({ total_amount_cents: mostCents + 1 });
    expect([refused.status, refused.body.error.code]).toEqual([422, 'amount_exceeds_wallet_limits']);
    expect(refused.body.error.message).toContain('2100000000000000 sats');
    expect(fakes[0]!.created).toEqual([]);
    expect(await health(ids[0]!)).toMatchObject({ consecutive_failures: 0, last_error: null });
    expect((await create({ total_amount_cents: mostCents })).status).toBe(201);
  });

  test('no wallet, or none that can show a settlement', async () => {
    await connect();
    expect((await create()).body.error.code).toBe('no_wallet');
    await connect({ settlement_visibility: 'none' });
    const { status, body } = await create();
    expect([status, body.error.code]).toEqual([422, 'no_wallet']);
  });
});

describe('failover', () => {
  test('a wallet that fails hands over to the next at once', async () => {
    const { ids, fakes } = await connect({}, {});
    fakes[0]!.onCreate = fail;
    const { status, body } = await create();
    expect([status, body.wallet_id]).toEqual([201, ids[1]]);
    expect(await health(ids[0]!)).toMatchObject({
      consecutive_failures: 1,
      operational: true,
      last_error: 'The node is locked or still starting.',
    });
    expect(fakes[0]!.created[0]!.ref).not.toBe(fakes[1]!.created[0]!.ref);
  });
});

describe('a database that breaks while a wallet is being asked', () => {
  /** One statement fails, as often as it is sent. */
  function breakStatement(name: string): void {
    const { db } = app.parts;
    const send = db.maybeOne;
    vi.spyOn(db, 'maybeOne').mockImplementation((statement, values) =>
      statement.name === name ? Promise.reject(new Error('Connection terminated')) : send(statement, values),
    );
  }
  afterEach(() => vi.restoreAllMocks());

  test('is not the fault of the wallet that made the invoice', async () => {
    const { ids, fakes } = await connect({}, {});
    breakStatement('invoices_find_hash');
    expect((await create()).body.error.code).toBe('internal_error');
    vi.restoreAllMocks();
    expect(await health(ids[0]!)).toMatchObject({ consecutive_failures: 0, last_error: null });
    expect(fakes[1]!.created).toEqual([]);
    expect((await create()).body.wallet_id).toBe(ids[0]);
  });

  test('nor of the simulated wallet, whose memory it is', async () => {
    const merchant = await app.newMerchant();
    const id = await testWalletId(app, merchant);
    const { invoice } = await createOrderWithInvoice(merchant.test);
    breakStatement('simulated_payments_find');
    const row = (await findInvoiceForJob(app.parts.db, invoice.id, app.clock.now()))!;
    await expect(askWallet(app.parts, row, new AbortController().signal)).rejects.toThrow('Connection terminated');
    const { body } = await merchant.test.get(`/api/v1/m/wallets/${id}`);
    expect(body).toMatchObject({ consecutive_failures: 0, last_error: null });
  });
});

test('an invoice whose payment nobody could see is not shown to a payer', async () => {
  const merchant = await app.newMerchant();
  const next = await testWalletId(app, merchant);
  const server = await LnurlServer.start(app.clock);
  try {
    const connection = { connection: 'lightning_address' as const, lightning_address: server.address };
    const id = await addWallet(app, merchant, { ...connection, position: 0 });
    const create = async () =>
      (await merchant.test.post('/api/v1/m/orders', orderBody({}, { generate_invoice: true }))).body;
    expect((await create()).wallet_id).toBe(id);
    for (const verify of [undefined, '/verify/1', 'ftp://wallet.test/1', 'https://me:secret@wallet.test/1']) {
      server.behaviour = { callback: (answer) => ({ ...answer, verify }) };
      expect([verify, (await create()).wallet_id]).toEqual([verify, next]);
    }
    expect((await merchant.test.get(`/api/v1/m/wallets/${id}`)).body).toMatchObject({
      consecutive_failures: 4,
      last_error: 'The wallet gave an invoice without saying where its payment can be seen.',
    });
    // Where payers prove what they paid, nobody needs to be asked.
    await changeWallet(app, id, { settlement_visibility: 'none', takes_preimages: true });
    expect((await create()).wallet_id).toBe(id);
  } finally {
    await server.stop();
  }
});

test('one that refuses large amounts goes on taking small ones, however often it is asked', async () => {
  const { ids, fakes } = await connect({});
  const [id, fake] = [ids[0]!, fakes[0]!];
  fake.onCreate = (request) => (request.amountMsat > 1_000_000n ? refuse() : fake.make(request));
  for (let n = 0; n < 6; n++) {
    const { status, body } = await create();
    expect([status, body.error.message]).toEqual([503, expect.stringContaining('The wallet refused: no liquidity.')]);
  }
  const refused = { consecutive_failures: 0, operational: true, last_error: 'The wallet refused: no liquidity.' };
  expect(await health(id)).toMatchObject(refused);
  expect((await create({ total_amount_cents: 100 })).status).toBe(201);
  await until(async () => (await health(id)).last_error === null);
});

describe('breaker', () => {
  const brokenSeconds = async (id: string) => {
    const [row] = await app.rows<{ seconds: string }>(
      'select extract(epoch from broken_until - clock_timestamp()) as seconds from wallets where id = $1',
      [id],
    );
    return Number(row!.seconds);
  };
  const endPause = (id: string) =>
    app.rows(`update wallets set broken_until = clock_timestamp() - interval '1 second' where id = $1`, [id]);

  test('opens at the fifth failure for a minute, doubles to an hour, and closes with the first success', async () => {
    const { ids, fakes } = await connect({});
    const [id, fake] = [ids[0]!, fakes[0]!];
    fake.onCreate = fail;
    for (let failure = 1; failure <= 5; failure++) {
      expect((await health(id)).operational).toBe(true);
      expect((await create()).body.error.code).toBe('wallet_unavailable');
      expect((await health(id)).consecutive_failures).toBe(failure);
    }
    expect(await health(id)).toMatchObject({ operational: false, status: 'active' });
    expect(await brokenSeconds(id)).toBeGreaterThan(50);
    expect(await brokenSeconds(id)).toBeLessThan(61);

    // Open: not even asked.
    const spared = await create();
    expect([spared.status, spared.body.error.code]).toEqual([503, 'wallet_unavailable']);
    expect(Number(spared.headers['retry-after'])).toBeGreaterThan(0);
    expect(fake.created).toHaveLength(5);

    for (const minutes of [2, 4, 8, 16, 32, 60, 60]) {
      await endPause(id);
      await create();
      expect(await brokenSeconds(id)).toBeGreaterThan(minutes * 60 - 10);
      expect(await brokenSeconds(id)).toBeLessThan(minutes * 60 + 1);
    }
    await endPause(id);
    fake.onCreate = (request) => fake.make(request);
    expect((await create()).status).toBe(201);
    await until(async () => (await health(id)).consecutive_failures === 0);
    expect(await health(id)).toMatchObject({ operational: true, last_error: null });
  });

  test('look-ups that fail while it is open change nothing of its end; one that succeeds closes it', async () => {
    const { ids, fakes } = await connect({});
    const [id, fake] = [ids[0]!, fakes[0]!];
    const { body: order } = await create();
    fake.onLookup = fail;
    shop.watch();
    for (let failed = 0; failed < 12; failed++) {
      const asked = fake.lookedUp.length;
      app.clock.advanceSeconds(5);
      await shop.client.get(`/api/v1/m/invoices/${order.invoice.id}/status`);
      await until(() => fake.lookedUp.length > asked);
    }
    await until(async () => (await health(id)).consecutive_failures === 5);
    expect((await health(id)).operational).toBe(false);
    expect(await brokenSeconds(id)).toBeLessThan(61);
    // Not reached is neither expired nor paid.
    expect((await shop.client.get(`/api/v1/m/invoices/${order.invoice.id}`)).body.status).toBe('pending');

    fake.onLookup = async ({ paymentHash }) => fake.word(paymentHash);
    fake.pay(order.invoice.payment_hash);
    app.clock.advanceSeconds(5);
    await shop.client.get(`/api/v1/m/invoices/${order.invoice.id}/status`);
    expect((await shop.client.get(`/api/v1/m/orders/${order.id}`)).body.status).toBe('paid');
    await until(async () => (await health(id)).operational);
  });

  test('an adapter that stumbles over an answer is at fault like a wallet, the next one serves', async () => {
    const { ids, fakes } = await connect({}, {});
    fakes[0]!.onCreate = async () => {
      throw new TypeError('undefined is not a function');
    };
    expect((await create()).body.wallet_id).toBe(ids[1]);
    expect((await health(ids[0]!)).consecutive_failures).toBe(1);
  });
});

test('a disabled wallet makes no invoices, and its open ones stay watched', async () => {
  const { ids, fakes } = await connect({}, {});
  const order = await createOrderWithInvoice(shop.client);
  const scope = { merchantId: shop.merchant.id, livemode: false };
  expect(await setWalletEnabled(app.parts.db, scope, ids[0]!, false, app.clock.now())).toBe(true);
  expect((await create()).body.wallet_id).toBe(ids[1]);
  fakes[0]!.pay(order.invoice.payment_hash);
  shop.watch();
  app.clock.advanceSeconds(3);
  await until(async () => (await shop.client.get(`/api/v1/m/orders/${order.id}`)).body.status === 'paid');
});

test('a wallet that is removed while it makes an invoice keeps its credential until that is paid', async () => {
  const { ids, fakes } = await connect({});
  await app.rows(`update wallets set credentials = '\\x01' where id = $1`, [ids[0]]);
  const hasCredential = async () => {
    await eraseCredentials(app.parts);
    return (await app.rows('select from wallets where id = $1 and credentials is not null', [ids[0]])).length === 1;
  };
  const slow = gate((request: InvoiceRequest) => fakes[0]!.make(request));
  fakes[0]!.onCreate = slow.call;
  const creating = create();
  await until(() => fakes[0]!.created.length === 1);
  expect((await shop.client.delete(`/api/v1/m/wallets/${ids[0]}`)).status).toBe(204);
  app.clock.advanceSeconds(20);
  expect(await hasCredential()).toBe(true);
  slow.open();
  const { invoice } = (await creating).body;
  app.clock.advanceSeconds(600);
  expect(await hasCredential()).toBe(true);

  shop.watch();
  fakes[0]!.pay(invoice.payment_hash);
  await until(async () => (await shop.client.get(`/api/v1/m/invoices/${invoice.id}`)).body.status === 'paid');
  expect(await hasCredential()).toBe(false);
});

test('a wallet that hangs slows nobody else', { timeout: 30_000 }, async () => {
  const { ids, fakes } = await connect({}, {});
  const hanging: string[] = [];
  for (let count = 0; count < 15; count++) hanging.push((await create({ wallet_id: ids[0] })).body.invoice.id);
  const { body: order } = await create({ wallet_id: ids[1] });
  fakes[0]!.onLookup = hangForGood;
  fakes[1]!.pay(order.invoice.payment_hash);
  shop.watch();
  app.clock.advanceSeconds(3);
  const begun = performance.now();
  await until(async () => (await shop.client.get(`/api/v1/m/orders/${order.id}`)).body.status === 'paid');
  expect(performance.now() - begun).toBeLessThan(2000);
  expect(fakes[0]!.lookedUp.length).toBeGreaterThan(0);
});
