import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDemo } from '../../src/demo.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createSeal } from '../../src/kernel/secrets.ts';
import { saleLeaseSeconds } from '../../src/operation/idempotency.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { Client } from '../harness/client.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  onPostgres,
  secretsKey,
  type TestDatabase,
} from '../harness/database.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { createOrder, createOrderWithInvoice, orderBody } from '../harness/orders.ts';
import { until } from '../harness/until.ts';
import { addWallet, changeWallet, testWalletId } from '../harness/wallets.ts';
import { startPhoenixdServer } from '../rig/phoenixd-server.ts';
import { LnurlServer } from '../support/lnurl-server.ts';
import { PaperNode } from '../support/paper-node.ts';
import { pastedConnection } from '../support/wallet-kinds.ts';
import { callOver, type DemoKeys, readDemoKeys, SatlineProcess } from './process.ts';
import { soak } from './seeds.ts';

if (!onPostgres) {
  console.log('SKIPPED: the embedded database belongs to one process; set TEST_DATABASE_URL to see two work together');
}

/** Two instances in this process, each with connections, listeners and a watcher of its own, on one clock. */
describe.skipIf(!onPostgres)('two instances on one database', () => {
  let database: TestDatabase;
  let one: TestApp;
  let two: TestApp;
  let merchant: TestMerchant;
  /** The merchant's key at either instance. */
  let clients: [Client, Client];
  let server: LnurlServer;

  beforeAll(async () => {
    database = await createTestDatabase();
    const kept = { ...database, drop: async () => {} };
    one = await openTestApp({ database: kept });
    two = await openTestApp({ database: kept, clock: one.clock });
    merchant = await one.newMerchant();
    clients = [merchant.test, new Client(two.app, merchant.test.key, merchant.test.id)];
    server = await LnurlServer.start(one.clock);
    await changeWallet(one, await testWalletId(one, merchant), { enabled: false });
    await addWallet(one, merchant, { connection: 'lightning_address', lightning_address: server.address });
  });
  afterAll(async () => {
    if (!one) return;
    await expectLedgerToHold(one);
    await one.close();
    await two.close();
    await server.stop();
    await database.drop();
  });

  const asked = (what: 'callback' | 'verify') => server.requests.filter((line) => line.startsWith(`/${what}`)).length;

  test('20 parallel calls over both get one invoice, and the wallet is asked once (case C029)', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await createOrder(clients[0]);
      const before = asked('callback');
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          clients[index % 2]!.post('/api/v1/m/invoices/generate', { order_id: id }),
        ),
      );
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
      expect(new Set(replies.map(({ body }) => body.payment_request)).size).toBe(1);
      expect(asked('callback')).toBe(before + 1);
    }
  });

  test('both watchers see one settlement: one payment', async () => {
    const orders = await Promise.all(
      Array.from({ length: 8 }, (_, index) => createOrderWithInvoice(clients[index % 2]!)),
    );
    for (const { invoice } of orders) server.settle(invoice.payment_hash);
    one.clock.advanceSeconds(3);
    const waiting = orders.flatMap(({ invoice }) =>
      clients.map((client) => client.get(`/api/v1/m/invoices/${invoice.id}/status`)),
    );
    const answers = await Promise.all(waiting);
    await until(async () => {
      const [{ count }] = (await one.rows('select count(*) as count from payments where order_id = any($1)', [
        orders.map(({ id }) => id),
      ])) as [{ count: number }];
      // Budgets of the wallet's host run on real time, due times on the test's.
      one.clock.advanceSeconds(0.1);
      return count === orders.length;
    }, 20_000);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    await expectLedgerToHold(one);
  });

  test('one Idempotency-Key at both: one order, one invoice, whoever answers', async () => {
    for (let round = 0; round < 10; round++) {
      const body = orderBody({ po_number: `twin ${round}` }, { generate_invoice: round % 2 === 0 });
      const headers = { 'idempotency-key': `twin ${round}` };
      const before = asked('callback');
      const replies = await Promise.all(
        Array.from({ length: 6 }, (_, index) => clients[index % 2]!.post('/api/v1/m/orders', body, headers)),
      );
      const made = replies.filter(({ status }) => status === 201);
      expect(made.length).toBeGreaterThan(0);
      expect(new Set(made.map((reply) => JSON.stringify(reply.body))).size).toBe(1);
      const refused = replies.filter(({ status }) => status !== 201);
      expect(new Set(refused.map(({ body: { error } }) => error.code))).toEqual(
        new Set(refused.length > 0 ? ['idempotency_in_progress'] : []),
      );
      expect(asked('callback') - before).toBe(round % 2 === 0 ? 1 : 0);
      expect(await one.rows('select id from orders where po_number = $1', [`twin ${round}`])).toHaveLength(1);
      const again = await clients[1].post('/api/v1/m/orders', body, headers);
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, 'true']);
      const other = await clients[1].post('/api/v1/m/orders', orderBody({ total_amount_cents: 7 }), headers);
      expect(other.body.error.code).toBe('idempotency_key_reused');
    }
  });

  test('who waits at one instance is woken by the look-up of the other', async () => {
    const { invoice } = await createOrderWithInvoice(clients[0]);
    server.settle(invoice.payment_hash);
    one.clock.advanceSeconds(3);
    const begun = performance.now();
    const { body } = await clients[1].get(`/api/v1/m/invoices/${invoice.id}/status`);
    expect(body.paid).toBe(true);
    expect(performance.now() - begun).toBeLessThan(1900);
  });
});

/** `node dist/bundle/start.js` twice: nothing is shared but the database and the key. */
describe.skipIf(!onPostgres)('two real processes on one database', () => {
  let database: TestDatabase;
  let dataDir: string;
  let keys: DemoKeys;
  let one: SatlineProcess;
  let two: SatlineProcess;
  let server: LnurlServer;
  let db: pg.Client;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'satline-two-'));
    environment = { ...database.env, DATA_DIR: dataDir };
    [one, two] = await Promise.all([SatlineProcess.start(environment), SatlineProcess.start(environment)]);
    keys = await readDemoKeys(dataDir);
    server = await LnurlServer.start();
    db = new pg.Client({ connectionString: database.env.DATABASE_URL });
    await db.connect();
  });
  afterAll(async () => {
    if (!db) return;
    await Promise.all([one.end('SIGTERM'), two.end('SIGTERM')]);
    await server.stop();
    await db.end();
    const books = await openTestApp({ database, watch: false });
    await expectLedgerToHold(books);
    await books.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const call = (at: SatlineProcess, method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown, key?: string) =>
    callOver(at.baseUrl, keys.secret_key, method, path, body, key ? { 'idempotency-key': key } : {});

  /** The demo merchant's simulated wallet behaves like this from now on, in every process. */
  const setWallet = (settings: Record<string, unknown>) =>
    db.query(
      `update wallets set settings = $1, updated_at = updated_at + interval '1 millisecond'
        where merchant_id = $2 and connection = 'simulated'`,
      [JSON.stringify(settings), keys.merchant_id],
    );

  test('20 parallel calls over both get one invoice, both pay it, and there is one payment', async () => {
    await db.query(
      `update wallets set connection = 'lightning_address', lightning_address = $2, updated_at = updated_at + interval '1 millisecond'
        where merchant_id = $1 and not livemode`,
      [keys.merchant_id, server.address],
    );
    const { body: order } = await call(one, 'POST', '/m/orders', orderBody());
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        call(index % 2 ? one : two, 'POST', '/m/invoices/generate', { order_id: order.id }),
      ),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(replies.map(({ body }) => body.payment_request)).size).toBe(1);
    expect(server.requests.filter((line) => line.startsWith('/callback'))).toHaveLength(1);

    server.settle(replies[0]!.body.payment_hash);
    const invoiceId = replies[0]!.body.id;
    await until(async () => {
      const answers = await Promise.all([one, two].map((at) => call(at, 'GET', `/m/invoices/${invoiceId}/status`)));
      return answers.every(({ body }) => body.paid);
    }, 10_000);
    const { rows } = await db.query('select id from payments where order_id = $1', [order.id]);
    expect(rows).toHaveLength(1);
    await db.query(
      `update wallets set connection = 'simulated', updated_at = updated_at + interval '1 millisecond'
        where merchant_id = $1 and not livemode`,
      [keys.merchant_id],
    );
  });

  test('a key’s limit is let through exactly, over both', async () => {
    const toNextMinute = 60_000 - (Date.now() % 60_000);
    // Windows begin with the minute, and all of this has to happen within one.
    if (toNextMinute < 8000) await sleep(toNextMinute);
    const ask = async (at: SatlineProcess, count: number) => {
      const replies = Array.from({ length: count }, () =>
        callOver(at.baseUrl, keys.limited_secret_key, 'GET', '/m/merchant'),
      );
      return (await Promise.all(replies)).map(({ status }) => status);
    };
    /** One flush has added it up, and the other process has had the time to hear of it. */
    const told = async (count: number) => {
      await until(async () => (await db.query('select 1 from rate_windows where count = $1', [count])).rowCount === 1);
      await sleep(400);
    };
    expect(new Set(await ask(one, 45))).toEqual(new Set([200]));
    await told(45);
    const rest = await ask(two, 40);
    expect(rest.filter((status) => status === 200)).toHaveLength(15);
    await told(60);
    expect(new Set([...(await ask(one, 5)), ...(await ask(two, 5))])).toEqual(new Set([429]));
  });

  test('a process killed while it asks a slow wallet is taken over: the same ids, one order', {
    timeout: 60_000,
  }, async () => {
    await setWallet({ delayMs: 5000 });
    const body = orderBody({ po_number: 'taken over' }, { generate_invoice: true });
    const key = 'taken over';
    const cut = call(one, 'POST', '/m/orders', body, key).then(
      () => 'answered',
      () => 'cut off',
    );
    const started = async () =>
      (await db.query(`select frozen from idempotency_keys where key = $1 and state = 'started'`, [key])).rows[0];
    await until(async () => (await started()) !== undefined);
    await sleep(200);
    await one.end('SIGKILL');
    expect(await cut).toBe('cut off');
    const { order, invoiceId } = frozenIn((await started())!.frozen, key);

    // Its lease still runs: nobody else may have the key.
    await setWallet({});
    const early = await call(two, 'POST', '/m/orders', body, key);
    expect([early.status, early.body.error.code]).toEqual([409, 'idempotency_in_progress']);
    if (soak) await sleep(saleLeaseSeconds * 1000 + 500);
    else
      await db.query(
        `update idempotency_keys set lease_until = clock_timestamp() - interval '1 second' where key = $1`,
        [key],
      );

    const taken = await Promise.all(Array.from({ length: 3 }, () => call(two, 'POST', '/m/orders', body, key)));
    const made = taken.filter(({ status }) => status === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(made[0]!.body.id).toBe(order.id);
    expect(made[0]!.body.invoice.id).toBe(invoiceId);
    const { rows } = await db.query(`select id from orders where po_number = 'taken over'`);
    expect(rows).toEqual([{ id: order.id }]);
    const again = await call(two, 'POST', '/m/orders', body, key);
    expect([again.status, again.replayed, again.body.id]).toEqual([201, true, order.id]);
    one = await SatlineProcess.start(environment);
  });

  /** What the dead process had decided, read with the key it shared. */
  function frozenIn(sealed: Buffer, key: string): { order: { id: string }; invoiceId: string } {
    const seal = createSeal(Buffer.from(secretsKey, 'hex'));
    const place = { table: 'idempotency_keys', column: 'frozen', row: `${keys.api_token_id}/${key}` };
    return JSON.parse(seal.open(sealed, place).toString());
  }

  test('the invoices a killed process was looking at are looked at by those that start after it', {
    timeout: 60_000,
  }, async () => {
    await setWallet({});
    const { body: order } = await call(two, 'POST', '/m/orders', orderBody({}, { generate_invoice: true }));
    // One process holds the claim and hangs; the other is away meanwhile.
    await two.end('SIGTERM');
    await setWallet({ delayMs: 6000 });
    const leased = async () =>
      (
        await db.query('select lease_until > clock_timestamp() as leased from invoices where id = $1', [
          order.invoice.id,
        ])
      ).rows[0].leased;
    await until(leased, 10_000);
    await one.end('SIGKILL');
    await setWallet({ payAfterSeconds: 1 });
    if (!soak)
      await db.query(`update invoices set lease_until = clock_timestamp() - interval '1 second' where id = $1`, [
        order.invoice.id,
      ]);
    [one, two] = await Promise.all([SatlineProcess.start(environment), SatlineProcess.start(environment)]);
    await until(async () => (await call(two, 'GET', `/m/orders/${order.id}`)).body.status === 'paid', 30_000);
  });

  test('the stream of a wallet whose owner was killed is followed by the other, and tells of payments', {
    timeout: 90_000,
  }, async () => {
    const node = new PaperNode(systemClock);
    const wallet = await startPhoenixdServer(node);
    const streamOf = async () =>
      (await db.query('select owner, open and lease_until > clock_timestamp() as open from wallet_streams')).rows[0];
    try {
      // With one process away the other is the owner.
      await two.end('SIGTERM');
      await setWallet({});
      const connected = await call(one, 'POST', '/m/wallets', { wallet: { connection: pastedConnection(wallet) } });
      expect([connected.status, connected.body.error]).toEqual([201, undefined]);
      await until(async () => (await streamOf())?.open === true, 15_000);
      const { owner } = await streamOf();
      two = await SatlineProcess.start(environment);
      const make = async () => {
        const body = orderBody({ wallet_id: connected.body.id }, { generate_invoice: true });
        return (await call(two, 'POST', '/m/orders', body)).body;
      };
      const isPaid = async ({ id }: { id: string }) =>
        (await call(two, 'GET', `/m/orders/${id}`)).body.status === 'paid';
      const early = await make();
      expect((await streamOf()).owner).toBe(owner);

      await one.end('SIGKILL');
      const begun = performance.now();
      node.pay(early.invoice.payment_hash);
      if (!soak) await db.query(`update wallet_streams set lease_until = clock_timestamp() - interval '1 second'`);
      await until(async () => (await streamOf()).open === true && (await streamOf()).owner !== owner, 40_000);
      // A lease of 20 s, and a round every 5.
      expect(performance.now() - begun).toBeLessThan(soak ? 30_000 : 10_000);
      await until(() => isPaid(early), 10_000);
      const late = await make();
      node.pay(late.invoice.payment_hash);
      await until(() => isPaid(late), 10_000);
      const { rows } = await db.query(
        'select look_count, payments.id from invoices left join payments on invoice_id = invoices.id where invoices.id = $1',
        [late.invoice.id],
      );
      expect(rows).toHaveLength(1);
      expect(rows[0].look_count).toBeLessThanOrEqual(3);
    } finally {
      await wallet.stop();
    }
  });
});

describe.skipIf(!onPostgres)('three processes in the same second (case C123)', () => {
  test('one demo is made however many want to make it in the same instant', async () => {
    const database = await createTestDatabase();
    const dataDir = mkdtempSync(join(tmpdir(), 'satline-demo-'));
    const kept = { ...database, drop: async () => {} };
    const apps = [await openTestApp({ database: kept, watch: false }), await openTestApp({ database, watch: false })];
    try {
      const made = await Promise.all(
        Array.from({ length: 8 }, (_, index) => makeDemo(apps[index % 2]!.parts, dataDir, 'http://127.0.0.1:3000')),
      );
      const [demo, ...more] = made.filter((credentials) => credentials !== undefined);
      expect(more).toEqual([]);
      expect(await readDemoKeys(dataDir)).toEqual(demo);
      expect(await apps[0]!.rows('select id from merchants')).toEqual([{ id: demo!.merchant_id }]);
    } finally {
      for (const app of apps) await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  test('an empty database is migrated once, gets one demo, and all three serve; then again', {
    timeout: 120_000,
  }, async () => {
    const database = await createEmptyDatabase();
    const dataDir = mkdtempSync(join(tmpdir(), 'satline-three-'));
    try {
      for (const round of ['empty', 'migrated']) {
        const three = Array.from({ length: 3 }, () => SatlineProcess.spawn({ ...database.env, DATA_DIR: dataDir }));
        await Promise.all(three.map((process) => process.ready()));
        const keys = await readDemoKeys(dataDir);
        for (const { baseUrl, errors } of three) {
          expect((await callOver(baseUrl, keys.secret_key, 'GET', '/m/merchant')).body.id).toBe(keys.merchant_id);
          expect((await fetch(`${baseUrl}/readyz`)).status).toBe(200);
          expect([round, errors]).toEqual([round, '']);
        }
        expect(await Promise.all(three.map((process) => process.end('SIGTERM')))).toEqual([0, 0, 0]);
      }
      const db = new pg.Client({ connectionString: database.env.DATABASE_URL });
      await db.connect();
      const { rows } = await db.query('select (select count(*)::int from merchants) as merchants');
      await db.end();
      expect(rows).toEqual([{ merchants: 1 }]);
    } finally {
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
