import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordEvents } from '../../src/events/outbox.ts';
import { newId } from '../../src/kernel/ids.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { onPostgres } from '../harness/database.ts';
import { Receiver } from '../harness/receiver.ts';
import { createWebhook } from '../harness/webhooks.ts';
import { reportFigures } from './figures.ts';
import { SatlineProcess } from './process.ts';
import { type Dice, dice, firstSeed, soak } from './seeds.ts';

/**
 * Two real processes send what a third records, and are ended all the time, half of them with -9: every event reaches
 * every endpoint that subscribed, none is invented, and none comes twice unless its sender died with it.
 */
const events = soak ? 100_000 : 1500;
const restarts = soak ? 20 : 4;
/** The leases of the last one that was killed have to end; a failed first attempt comes again after a minute. */
const settleMillis = soak ? 600_000 : 60_000;

let app: TestApp;
let merchant: TestMerchant;
let everything: Receiver;
let payments: Receiver;
const dataDir = mkdtempSync(join(tmpdir(), 'satline-soak-'));
const senders: SatlineProcess[] = [];

beforeAll(async () => {
  if (!onPostgres) return;
  app = await openTestApp({ watch: false });
  app.clock.set(new Date());
  merchant = await app.newMerchant();
  everything = await Receiver.open();
  payments = await Receiver.open();
});
afterAll(async () => {
  await Promise.all(senders.map((sender) => sender.end('SIGKILL')));
  await everything?.close();
  await payments?.close();
  await app?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const startSender = () =>
  SatlineProcess.start({ ...app.database.env, DATA_DIR: dataDir, ALLOW_PRIVATE_NETWORKS: 'true' });

async function recordAll(roll: Dice, onShare: (share: number) => void): Promise<void> {
  const scope = { merchantId: merchant.id, livemode: false };
  let recorded = 0;
  const writers = Array.from({ length: 4 }, async () => {
    while (recorded < events) {
      const count = Math.min(events - recorded, 1 + roll.below(20));
      recorded += count;
      const facts = Array.from({ length: count }, (_, index) => ({
        kind: index % 2 === 0 ? ('payment.confirmed' as const) : ('order.updated' as const),
        subjectId: newId(),
        data: { note: '☕ \u2028', index },
        dedupe: '',
      }));
      app.clock.set(new Date());
      await app.parts.db.transaction((tx) => recordEvents(tx, scope, facts, app.clock.now()));
      app.parts.db.wake('event_recorded', merchant.id);
      onShare(recorded / events);
      // The senders are to be under way when they are ended, not long done.
      while (recorded - everything.received.length > 500) await sleep(5);
    }
  });
  await Promise.all(writers);
}

/** The soak waits the 20 s of a lease. Receivers answer at once: who has held a delivery for 5 s is dead. */
const endOldLeases = () =>
  app.rows(
    `update deliveries set lease_until = clock_timestamp() - interval '1 second'
      where state = 'sending' and lease_until < clock_timestamp() + interval '15 seconds'`,
  );

/** How often each event arrived. */
function countById(receiver: Receiver): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { event } of receiver.received) counts.set(event.id, (counts.get(event.id) ?? 0) + 1);
  return counts;
}

test.runIf(onPostgres)(
  `${events} events through ${restarts} restarts, TERM and -9 mixed`,
  async () => {
    const seed = firstSeed();
    console.log(`SEED=${seed}`);
    const all = await createWebhook(merchant.test, everything.url);
    const some = await createWebhook(merchant.test, payments.url, { events: ['payment.confirmed'] });
    // Answers take a little, so that there is always something under way; a few first attempts fail in the soak.
    everything.answer = (response) => void setTimeout(() => response.writeHead(200).end(), 5);
    const refused = new Set<string>();
    payments.answer = (response, { event }) => {
      const refuses = soak && event.id.endsWith('a') && !refused.has(event.id);
      if (refuses) refused.add(event.id);
      response.writeHead(refuses ? 500 : 204).end();
    };
    senders.push(...(await Promise.all([startSender(), startSender()])));

    let share = 0;
    const recording = recordAll(dice(seed), (reached) => {
      share = reached;
    });
    const startedAt = performance.now();
    let kills = 0;
    for (let n = 0; n < restarts; n += 1) {
      while (share < (n + 0.5) / restarts) await Promise.race([sleep(10), recording]);
      const signal = n % 2 === 0 ? 'SIGKILL' : 'SIGTERM';
      kills += signal === 'SIGKILL' ? 1 : 0;
      const code = await senders[n % 2]!.end(signal);
      if (signal === 'SIGTERM') expect(code).toBe(0);
      senders[n % 2] = await startSender();
    }
    await recording;
    const recordedAt = performance.now();

    const open = `select count(*) as count from deliveries where webhook_id = any($1) and state <> 'delivered'`;
    const until = performance.now() + settleMillis;
    for (;;) {
      const [{ count }] = (await app.rows<{ count: number }>(open, [[all.id, some.id]])) as [{ count: number }];
      if (count === 0) break;
      if (!soak) await endOldLeases();
      if (performance.now() > until) throw new Error(`${count} deliveries are still open`);
      await sleep(200);
    }

    const rows = await app.rows<{ id: string; kind: string }>('select id, kind from events where merchant_id = $1', [
      merchant.id,
    ]);
    expect(rows).toHaveLength(events);
    const recordedIds = new Set(rows.map(({ id }) => id));
    const paymentIds = new Set(rows.filter(({ kind }) => kind === 'payment.confirmed').map(({ id }) => id));
    let twice = 0;
    for (const [receiver, webhook, expected] of [
      [everything, all, recordedIds],
      [payments, some, paymentIds],
    ] as const) {
      const counts = countById(receiver);
      expect(
        [...expected].filter((id) => !counts.has(id)),
        'lost',
      ).toEqual([]);
      expect(
        [...counts.keys()].filter((id) => !expected.has(id)),
        'invented',
      ).toEqual([]);
      // Each request had a claim of its own: what came more often was claimed more often, its sender being gone.
      const claims = new Map(
        (
          await app.rows<{ event_id: string; claim: number }>(
            'select event_id, claim from deliveries where webhook_id = $1',
            [webhook.id],
          )
        ).map(({ event_id, claim }) => [event_id, claim]),
      );
      expect(
        [...counts].filter(([id, count]) => count > claims.get(id)!),
        'twice without reason',
      ).toEqual([]);
      twice += [...counts].filter(([id, count]) => count > (receiver === payments && refused.has(id) ? 2 : 1)).length;
      const bodies = new Map<string, string>();
      for (const { event, body } of receiver.received) {
        if (bodies.has(event.id)) expect(`${body}`).toBe(bodies.get(event.id));
        bodies.set(event.id, `${body}`);
      }
    }
    // What a killed sender had under way: two lanes of at most ten.
    expect(twice).toBeLessThanOrEqual(restarts * 20);
    const seconds = (recordedAt - startedAt) / 1000;
    reportFigures(
      `${events} events to webhooks through ${restarts} restarts`,
      `${kills} of the restarts with -9; ${everything.received.length + payments.received.length} requests in ` +
        `${seconds.toFixed(1)} s; none lost, ${twice} came twice`,
      seed,
    );
  },
  soak ? 3_600_000 : 300_000,
);
