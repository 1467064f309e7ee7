import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp } from '../harness/app.ts';
import { createEmptyDatabase, onPostgres, type TestDatabase } from '../harness/database.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { reportFigures } from './figures.ts';
import { readDemoKeys, SatlineProcess } from './process.ts';
import { dice, firstSeed, soak } from './seeds.ts';

const count = Number(process.env.RENEWALS ?? (soak ? 10_000 : 300));
const fewestKills = soak ? 20 : 3;

if (!onPostgres) {
  console.log('SKIPPED: two processes need PostgreSQL; set TEST_DATABASE_URL to see them bill together');
}

describe.skipIf(!onPostgres)('due renewals', () => {
  let database: TestDatabase;
  let dataDir: string;
  let client: pg.Client;

  beforeAll(async () => {
    database = await createEmptyDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'satline-renewals-'));
    client = new pg.Client({ connectionString: database.env.DATABASE_URL });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    rmSync(dataDir, { recursive: true, force: true });
    await database?.drop();
  });

  const countOf = async (text: string) =>
    Number((await client.query(`select count(*) as count from ${text}`)).rows[0].count);

  test(`${count} are billed once each by two processes that are killed again and again`, {
    timeout: 120_000 + count * 60,
  }, async () => {
    const seed = firstSeed();
    console.log(`SEED=${seed} (${count} renewals)`);
    const roll = dice(seed);
    const env = { ...database.env, DATA_DIR: dataDir };
    const first = await SatlineProcess.start(env);
    const { merchant_id } = await readDemoKeys(dataDir);
    await first.end('SIGTERM');
    await addRenewals(merchant_id);

    const begun = performance.now();
    const pair = [SatlineProcess.spawn(env), SatlineProcess.spawn(env)];
    let kills = 0;
    const due = () => countOf('subscriptions where look_at <= now()');
    while ((await due()) > 0 || kills < fewestKills) {
      await sleep(200 + roll.below(2500));
      const which = roll.below(2);
      await pair[which]!.end('SIGKILL');
      kills++;
      pair[which] = SatlineProcess.spawn(env);
      if (kills % 5 === 0) await pair[which]!.ready();
    }
    const seconds = (performance.now() - begun) / 1000;
    // Both look once more at what is not due any more.
    await Promise.all(pair.map((one) => one.ready()));
    await sleep(1500);
    expect(await Promise.all(pair.map((one) => one.end('SIGTERM')))).toEqual([0, 0]);
    expect(pair.map((one) => one.errors)).toEqual(['', '']);

    expect(await countOf('subscription_periods')).toBe(count);
    expect(
      await countOf('(select distinct subscription_id, order_id from subscription_periods where number = 1) x'),
    ).toBe(count);
    expect(await countOf(`orders where source = 'subscription' and status = 'pending'`)).toBe(count);
    expect(await countOf(`(select distinct subject_id from events where kind = 'subscription.renewed') x`)).toBe(count);
    expect(await countOf(`events where kind = 'subscription.renewed'`)).toBe(count);
    expect(
      await countOf(
        `subscriptions s join subscription_periods p on p.subscription_id = s.id
          where s.status = 'active' and s.next_billing_at = p.ends_at and s.current_period_start = p.starts_at`,
      ),
    ).toBe(count);
    const app = await openTestApp({ database: { ...database, drop: async () => {} }, watch: false });
    await expectLedgerToHold(app);
    await app.close();
    reportFigures(
      `${count} renewals by two processes`,
      `${kills} kills; each period billed once; ${seconds.toFixed(0)} s`,
      seed,
    );
  });

  /** Active subscriptions, paid until a moment ago. */
  async function addRenewals(merchantId: string): Promise<void> {
    const customer = '01900000-0000-7000-8000-000000000001';
    await client.query(
      `insert into customers (id, merchant_id, livemode, email, created_at) values ($1, $2, false, 'ada@example.com', now())`,
      [customer, merchantId],
    );
    await client.query(
      `insert into subscriptions (id, merchant_id, livemode, status, link_hash, link_sealed, customer_id, customer_email, name,
         amount_cents, first_charge_cents, currency, interval_unit, interval_count, time_zone, trial_days,
         bitcoin_discount_percent, rail, anchor_at, next_billing_at, current_period_start, current_period_end, look_at,
         invited_at, accepted_at, created_at, updated_at)
       select gen_random_uuid(), $1, false, 'active', 'link ' || n, '\\x00', $2, 'ada@example.com', 'Newsletter ' || n,
         500, 500, 'usd', 'week', 1, 'UTC', 0, 0, 'bitcoin', t.due - interval '7 days', t.due, t.due - interval '7 days', t.due,
         t.due, t.due, t.due, t.due, t.due
         from generate_series(1, $3::integer) n, (select date_trunc('milliseconds', now() - interval '1 minute') as due) t`,
      [merchantId, customer, count],
    );
  }
});
