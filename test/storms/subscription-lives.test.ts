import { afterAll, beforeAll, expect, test } from 'vitest';
import { periodStart } from '../../src/model/billing-calendar.ts';
import { calendarOf, type SubscriptionRow } from '../../src/model/subscription.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { act, runBilling, show, subscribe } from '../harness/subscriptions.ts';
import { dice, firstSeed, soak } from './seeds.ts';

const lives = Number(process.env.LIVES ?? (soak ? 200 : 8));
const deedsEach = 30;
const day = 86_400;

let app: TestApp;
let merchant: TestMerchant;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Pacific/Auckland'];
const call = (id: string, verb: string, body?: unknown) =>
  merchant.test.post(`/api/v1/m/subscriptions/${id}/${verb}`, body);

/** What may be answered to anything at any time; a 500 or a hang may not. */
const foreseen = new Set([200, 201, 204, 409]);

test(`${lives} subscriptions live through anything in any order, and the books hold`, {
  timeout: 60_000 + lives * 10_000,
}, async () => {
  const seed = firstSeed();
  console.log(`SEED=${seed} (${lives} lives)`);
  const roll = dice(seed);
  for (let life = 0; life < lives; life++) {
    app.clock.set(new Date(Date.UTC(2027, roll.below(12), 1 + roll.below(31), roll.below(24), roll.below(60))));
    merchant = await app.newMerchant();
    await merchant.test.patch('/api/v1/m/merchant', { merchant: { time_zone: roll.pick(zones) } });
    const subscription = await subscribe(app, merchant.test, {
      interval_unit: roll.pick(['week', 'month', 'month', 'year']),
      interval_count: 1 + roll.below(3),
      trial_days: roll.chance(0.3) ? roll.below(20) : 0,
      bitcoin_discount_percent: roll.pick(['0', '0', '2.5', '100']),
    });
    for (let deed = 0; deed < deedsEach; deed++) await live(subscription);
    await expectSoundness(subscription.id);
    await app.rows('update subscriptions set look_at = null');
  }
  await expectLedgerToHold(app);

  async function live(subscription: { id: string; customer_url: string }): Promise<void> {
    const { id } = subscription;
    const deeds: (() => Promise<{ status: number }[]>)[] = [
      async () => {
        app.clock.advanceSeconds(roll.below(20 * day));
        await runBilling(app);
        return [];
      },
      async () => {
        app.clock.advanceSeconds(-roll.below(5 * day));
        await runBilling(app);
        return [];
      },
      async () => [await act(app, subscription, 'simulate_payment')],
      async () => [await call(id, 'pause')],
      async () => [await call(id, 'resume')],
      async () => [await merchant.test.post('/api/v1/m/test_clock/advance', { seconds: 1 + roll.below(40 * day) })],
      async () => Promise.all([act(app, subscription, 'pay'), act(app, subscription, 'simulate_payment')]),
      async () =>
        Promise.all([
          call(id, 'pause'),
          act(app, subscription, 'simulate_payment'),
          runBilling(app).then(() => ({ status: 200 })),
        ]),
      async () => (roll.chance(0.1) ? [await call(id, 'cancel', { at_period_end: roll.chance(0.5) })] : []),
    ];
    const replies = await roll.pick(deeds)();
    for (const { status } of replies) expect(foreseen, `seed ${seed}: ${status}`).toContain(status);
  }
});

/** Every period is where its number puts it, counted from the anchor; at most one is to be paid; dates fit the status. */
async function expectSoundness(id: string): Promise<void> {
  const [row] = await app.rows<SubscriptionRow>('select * from subscriptions where id = $1', [id]);
  const dates = calendarOf(row!);
  const periods = await app.rows<{ number: number; starts_at: Date; ends_at: Date; settled: boolean }>(
    'select * from subscription_periods where subscription_id = $1 order by number',
    [id],
  );
  for (const { number, starts_at, ends_at } of periods) {
    expect(starts_at).toEqual(periodStart(dates, number));
    expect(ends_at).toEqual(periodStart(dates, number + 1));
  }
  expect(periods.filter(({ settled }) => !settled).length).toBeLessThanOrEqual(1);
  const shown = await show(merchant.test, id);
  if (shown.status === 'cancelled') expect([shown.next_billing_at, shown.cancelled_at === null]).toEqual([null, false]);
  else expect(shown.next_billing_at).not.toBeNull();
  if (shown.current_period_start) expect(shown.current_period_end > shown.current_period_start).toBe(true);
}
