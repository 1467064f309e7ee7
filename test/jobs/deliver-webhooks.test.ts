import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Handle } from '../../src/db/database.ts';
import { recordEvents } from '../../src/events/outbox.ts';
import { collectMetrics } from '../../src/flows/collect-metrics.ts';
import { deliverWebhooks } from '../../src/jobs/deliver-webhooks.ts';
import { Lane } from '../../src/jobs/delivery-lane.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { type AttemptOutcome, claimDeliveries, finishAttempts } from '../../src/store/delivery-queue.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { createOrder } from '../harness/orders.ts';
import { Receiver } from '../harness/receiver.ts';
import { until } from '../harness/until.ts';
import { createWebhook } from '../harness/webhooks.ts';

let app: TestApp;
let merchant: TestMerchant;
let receiver: Receiver;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());
beforeEach(async () => {
  merchant = await app.newMerchant();
  receiver = await Receiver.open();
});
afterEach(() => receiver.close());

const deliveries = async (webhook: { id: string }) =>
  (await merchant.test.get(`/api/v1/m/webhooks/${webhook.id}/deliveries`)).body.data;

async function record(count: number): Promise<void> {
  const scope = { merchantId: merchant.id, livemode: false };
  const facts = Array.from({ length: count }, () => ({
    kind: 'order.updated' as const,
    subjectId: newId(),
    data: {},
    dedupe: newId(),
  }));
  await app.parts.db.transaction((tx) => recordEvents(tx, scope, facts, app.clock.now()));
}

/** Runs the loop while `work` is done. */
async function delivering(work: () => Promise<void>): Promise<void> {
  const job = deliverWebhooks(app.parts);
  try {
    await work();
  } finally {
    await job.stop();
  }
}

test('whoever waits is woken once by a commit, and not before it or by what is rolled back', async () => {
  const heard: string[] = [];
  const stopListening = app.parts.db.onWake('event_recorded', (merchantId) => heard.push(merchantId));
  const scope = { merchantId: merchant.id, livemode: false };
  const fact = () => ({ kind: 'order.updated' as const, subjectId: newId(), data: {} });
  await app.parts.db.transaction(async (tx) => {
    await recordEvents(tx, scope, [fact()], app.clock.now());
    await recordEvents(tx, scope, [fact(), fact()], app.clock.now());
    expect(heard).toEqual([]);
  });
  expect(heard).toEqual([merchant.id]);
  const rolledBack = app.parts.db.transaction(async (tx) => {
    await recordEvents(tx, scope, [fact()], app.clock.now());
    throw new Error('no');
  });
  await expect(rolledBack).rejects.toThrow('no');
  expect(heard).toEqual([merchant.id]);
  stopListening();
});

describe('the loop', () => {
  test('sends what each step of a purchase records', async () => {
    await createWebhook(merchant.test, receiver.url);
    await delivering(async () => {
      const { test: client } = merchant;
      const order = await createOrder(client);
      await receiver.wait(1);
      const { body: invoice } = await client.post('/api/v1/m/invoices/generate', { order_id: order.id });
      await receiver.wait(2);
      await client.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`);
      await receiver.wait(6);
      await client.patch(`/api/v1/m/orders/${order.id}`, { order: { po_number: 'x' } });
      await receiver.wait(7);
    });
  });

  test('finds what was recorded while nobody listened, and retries when their time has come', async () => {
    const webhook = await createWebhook(merchant.test, receiver.url);
    receiver.answerWith(500, 200);
    await record(1);
    await delivering(async () => {
      await receiver.wait(1);
      await until(async () => (await deliveries(webhook))[0].attempts === 1);
      app.clock.advanceSeconds(60);
      await receiver.wait(2);
      await until(async () => (await deliveries(webhook))[0].status === 'delivered');
    });
  });

  test('is not held up by an endpoint that hangs with 10,000 waiting', async () => {
    const hanging = await Receiver.open();
    hanging.answer = () => {};
    const stuck = await createWebhook(merchant.test, hanging.url);
    await app.rows(
      `with e as (
         insert into events (id, merchant_id, livemode, kind, subject_id, dedupe, body, created_at)
         select 'evt_stuck' || n, $1, false, 'order.updated', $1, 's' || n, '{}', $2
           from generate_series(1, 10000) n returning id, seq)
       insert into deliveries (id, webhook_id, event_id, event_seq, state, next_try_at, created_at)
       select gen_random_uuid(), $3, id, seq, 'waiting', $2, $2 from e`,
      [merchant.id, app.clock.now(), stuck.id],
    );
    await createWebhook(merchant.test, receiver.url, { events: ['order.created'] });
    await delivering(async () => {
      const begun = performance.now();
      for (let n = 1; n <= 20; n += 1) {
        await createOrder(merchant.test);
        await receiver.wait(n);
      }
      // If each waited for the poll of every second, it would be twenty.
      expect(performance.now() - begun).toBeLessThan(10_000);
      // As many as a lane may have under way, and not one of them answered yet.
      expect(hanging.received.length).toBeGreaterThan(0);
      expect(hanging.received.length).toBeLessThanOrEqual(4);
    });
    // Given back at the stop: an attempt that was broken off is none.
    const sending = await app.rows(`select from deliveries where webhook_id = $1 and state <> 'waiting'`, [stuck.id]);
    expect(sending).toEqual([]);
    const tried = await app.rows('select from deliveries where webhook_id = $1 and attempts > 0', [stuck.id]);
    expect(tried).toEqual([]);
    await merchant.test.delete(`/api/v1/m/webhooks/${stuck.id}`);
    await hanging.close();
  });

  test('is not held up by the many endpoints that another merchant has hanging on the same host', async () => {
    const other = await app.newMerchant();
    const held: ServerResponse[] = [];
    receiver.answer = (response, { path }) => {
      if (path === '/good') response.writeHead(200).end();
      else held.push(response);
    };
    const paths = Array.from({ length: 40 }, (_, n) => `/hanging/${n}`);
    await Promise.all(paths.map((path) => createWebhook(other.test, new URL(path, receiver.url).href)));
    await createWebhook(merchant.test, new URL('/good', receiver.url).href);
    // More of them than a lane may have under way.
    for (let n = 0; n < 5; n += 1) await createOrder(other.test);
    await delivering(async () => {
      await receiver.wait(64);
      const begun = performance.now();
      const count = () => receiver.received.filter(({ path }) => path === '/good').length;
      await createOrder(merchant.test);
      await until(() => count() === 1);
      // Whoever waits for a connection that hangs waits for the end of its ten seconds.
      expect(performance.now() - begun).toBeLessThan(5000);
      // A stop would wait for them.
      receiver.answer = (response) => response.writeHead(200).end();
      for (const response of held) response.writeHead(200).end();
    });
    for (const { id } of (await other.test.get('/api/v1/m/webhooks?per_page=100')).body.data) {
      await other.test.delete(`/api/v1/m/webhooks/${id}`);
    }
  });

  test('waits at a stop for attempts that are under way', async () => {
    const webhook = await createWebhook(merchant.test, receiver.url);
    const open: (() => void)[] = [];
    receiver.answer = (response) => open.push(() => response.writeHead(200).end());
    await record(1);
    const job = deliverWebhooks(app.parts);
    await receiver.wait(1);
    const stopped = job.stop();
    for (const answer of open) answer();
    await stopped;
    expect((await deliveries(webhook))[0]).toMatchObject({ status: 'delivered', attempts: 1 });
  });
});

test('what is measured: how late first attempts are, how endpoints answer, which are behind', async () => {
  await createWebhook(merchant.test, receiver.url);
  const late = await createWebhook(merchant.test, receiver.url);
  await record(1);
  await app.rows(`update deliveries set next_try_at = next_try_at - interval '2 minutes' where webhook_id = $1`, [
    late.id,
  ]);
  expect((await collectMetrics(app.parts)).text).toContain('satline_webhooks_behind 1');
  await app.deliverDue();
  const { text } = await collectMetrics(app.parts);
  expect(text).toContain('satline_webhooks_behind 0');
  expect(text).toMatch(/satline_delivery_lag_seconds_count [1-9]/);
  expect(text).toMatch(/satline_delivery_seconds_count\{outcome="good"\} [1-9]/);
});

describe('a lease', () => {
  test('that is lost is no failed attempt; one that runs is left alone (case C051)', async () => {
    const webhook = await createWebhook(merchant.test, receiver.url);
    await record(2);
    const lanes = [{ id: webhook.id, room: 10 }];
    expect(await claimDeliveries(app.parts.db, lanes, app.clock.now(), 20)).toHaveLength(2);
    expect(await claimDeliveries(app.parts.db, lanes, app.clock.now(), 20)).toHaveLength(0);
    expect(await app.deliverDue()).toBe(0);
    // By the database's clock; the business clock has no say in it.
    app.clock.advanceSeconds(3600);
    expect(await app.deliverDue()).toBe(0);
    await app.rows(
      `update deliveries set lease_until = clock_timestamp() - interval '1 second'
        where id = (select id from deliveries where webhook_id = $1 order by event_seq limit 1)`,
      [webhook.id],
    );
    expect(await app.deliverDue()).toBe(1);
    const [running, lost] = await deliveries(webhook);
    expect(running).toMatchObject({ status: 'sending', attempts: 0 });
    expect(lost).toMatchObject({ status: 'delivered', attempts: 1 });
  });

  test('is at most 20 s', async () => {
    const webhook = await createWebhook(merchant.test, receiver.url);
    let seconds: number | undefined;
    receiver.answer = async (response) => {
      const [row] = await app.rows<{ seconds: string }>(
        `select extract(epoch from lease_until - clock_timestamp()) as seconds from deliveries where webhook_id = $1`,
        [webhook.id],
      );
      seconds = Number(row!.seconds);
      response.writeHead(200).end();
    };
    await record(1);
    await app.deliverDue();
    expect(seconds).toBeGreaterThan(10);
    expect(seconds).toBeLessThanOrEqual(20);
  });

  test('decides whose outcome counts: the last claim’s, however late', async () => {
    const webhook = await createWebhook(merchant.test, receiver.url);
    await record(1);
    const { db, clock } = app.parts;
    const claim = async () => (await claimDeliveries(db, [{ id: webhook.id, room: 1 }], clock.now(), 20))[0]!;
    const lose = () =>
      app.rows(`update deliveries set state = 'waiting', lease_until = null where webhook_id = $1`, [webhook.id]);
    const outcome = (of: { id: string; claim: number }, good: boolean): AttemptOutcome => ({
      id: of.id,
      claim: of.claim,
      good,
      state: good ? 'delivered' : 'waiting',
      nextTryAt: good ? null : clock.now(),
      status: good ? 200 : 500,
      excerpt: null,
      error: good ? null : 'no',
      durationMillis: 1,
      endedAt: clock.now(),
    });
    const first = await claim();
    await lose();
    const second = await claim();
    await finishAttempts(db, webhook.id, [outcome(first, true)]);
    expect((await deliveries(webhook))[0]).toMatchObject({ status: 'sending', attempts: 0 });
    await lose();
    await finishAttempts(db, webhook.id, [outcome(second, true)]);
    expect((await deliveries(webhook))[0]).toMatchObject({ status: 'delivered', attempts: 1 });
    await finishAttempts(db, webhook.id, [outcome(second, false)]);
    expect((await deliveries(webhook))[0]).toMatchObject({ status: 'delivered', attempts: 1 });
    const shown = async () => (await merchant.test.get(`/api/v1/m/webhooks/${webhook.id}`)).body;
    expect(await shown()).toMatchObject({ success_count: 1, failure_count: 0 });

    // The answer of a commit was lost, so that a failure is written again.
    await createOrder(merchant.test);
    const third = await claim();
    for (let time = 0; time < 2; time++) await finishAttempts(db, webhook.id, [outcome(third, false)]);
    const [again] = await app.rows('select tries, attempts from deliveries where id = $1', [third.id]);
    expect(again).toEqual({ tries: 1, attempts: 1 });
    expect(await shown()).toMatchObject({ success_count: 1, failure_count: 1 });
  });
});

describe('a lane', () => {
  const outcome = (good: boolean) => ({ id: newId(), claim: 1, good }) as AttemptOutcome;
  const never = new AbortController().signal;

  test('writes together what ended together, and again what could not be written', async () => {
    const written: number[] = [];
    let failures = 1;
    const db = {
      run: async (_statement: unknown, values: unknown[][]) => {
        if (failures-- > 0) throw new Error('away');
        written.push(values[1]!.length);
        return 1;
      },
    } as unknown as Handle;
    const lane = new Lane('lane', db as never, silentLog);
    await Promise.all([outcome(true), outcome(true), outcome(false)].map((one) => lane.end(one, never)));
    expect(written).toEqual([3]);
  });

  test('grows narrow while it fails, and wide again', async () => {
    const lane = new Lane('lane', { run: async () => 1 } as never, silentLog);
    expect([lane.room, lane.isFailing]).toEqual([4, false]);
    await lane.end(outcome(false), never);
    expect([lane.room, lane.isFailing]).toEqual([2, true]);
    for (let n = 0; n < 20; n += 1) await lane.end(outcome(true), never);
    expect([lane.room, lane.isFailing]).toEqual([10, false]);
    lane.begin();
    expect(lane.room).toBe(9);
  });
});
