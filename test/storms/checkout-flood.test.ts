import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { followCheckouts } from '../../src/flows/follow-checkout.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { onPostgres } from '../harness/database.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { createOrderWithInvoice } from '../harness/orders.ts';
import { until } from '../harness/until.ts';
import { reportFigures } from './figures.ts';
import { soak } from './seeds.ts';

/** Strangers open pages as fast as they can, and many payers leave theirs open: the merchant sells on. */
const opens = soak ? 20_000 : 1000;
const followed = soak ? 2000 : 500;
/** "As quick as before": the typical order takes no more than this many times as long. The embedded engine has one connection. */
const mostTimes = onPostgres ? 1.5 : 3;
const tries = 4;

let app: TestApp;
let merchant: TestMerchant;
beforeAll(async () => {
  app = await openTestApp();
  merchant = await app.newMerchant();
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const from = (address: string, url: string) => app.app.inject({ method: 'GET', url, remoteAddress: address });
const count = async (table: string) =>
  (await app.rows<{ count: number }>(`select count(*) as count from ${table}`))[0]!.count;

/** Own orders, one after another with a pause, as a till makes them; what each took. */
async function sellWhile(goesOn: () => boolean): Promise<number[]> {
  const millis: number[] = [];
  while (goesOn()) {
    const begun = performance.now();
    await createOrderWithInvoice(merchant.test);
    millis.push(performance.now() - begun);
    await sleep(25);
  }
  return millis.sort((a, b) => a - b);
}

const share = (sorted: number[], part: number) => sorted[Math.floor(sorted.length * part)]!;
const figuresOf = (sorted: number[]) =>
  `${share(sorted, 0.5).toFixed(1)} ms (p95 ${share(sorted, 0.95).toFixed(1)} ms)`;

async function openPublicSessions(wanted: number, address: string): Promise<string[]> {
  const shopPage = merchant.publishable.from(address);
  const tokens: string[] = [];
  for (let n = 0; n < wanted; n++) {
    if (n % 30 === 0) app.clock.advanceSeconds(61);
    const { body } = await shopPage.post('/api/v1/pub/checkout_sessions', {
      checkout_session: { amount_cents: 100 + n },
    });
    tokens.push(body.token);
  }
  return tokens;
}

test(`${opens} page opens from one address cause 30 invoices, and own orders are as quick as before`, async () => {
  const times: number[] = [];
  await sellWhile(timesOf(15));
  // A machine that does other things tells little, but not each time.
  for (let turn = 0; turn < tries && !times.some((one) => one <= mostTimes); turn++) {
    const address = `203.0.113.${turn}`;
    const tokens = await openPublicSessions(60, address);
    let left = opens;
    const quiet = await sellWhile(timesOf(30));
    const before = await count('invoices');
    const flood = Promise.all(
      Array.from({ length: opens }, async (_, n) => {
        const token = tokens[n % tokens.length]!;
        const { statusCode: status, headers } = await from(address, `/checkout/${token}`);
        left -= 1;
        return { token, status, again: Number(headers['retry-after']) };
      }),
    );
    const flooded = await sellWhile(() => left > 0);
    const seen = await flood;
    expect((await count('invoices')) - before).toBe(flooded.length + 30);
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set([200, 429]));
    expect(seen.filter(({ status, again }) => status === 429 && !(again > 0))).toEqual([]);
    expect(new Set(seen.filter(({ status }) => status === 200).map(({ token }) => token)).size).toBe(30);
    times.push(share(flooded, 0.5) / share(quiet, 0.5));
    reportFigures(
      'checkout flood',
      `an own order with invoice takes ${figuresOf(quiet)} when it is quiet, ${figuresOf(flooded)} during ${opens} page opens at once`,
    );
  }
  expect(Math.min(...times)).toBeLessThanOrEqual(mostTimes);
});

function timesOf(count: number): () => boolean {
  let left = count;
  return () => left-- > 0;
}

test(`${followed} pages that are left open cost little, and those of the one that is paid hear of it`, async () => {
  const tokens: string[] = [];
  for (let n = 0; n < followed / 5; n++) {
    const { body } = await merchant.test.post('/api/v1/checkout_sessions', { checkout_session: { amount_cents: 500 } });
    tokens.push(body.token);
  }
  const leaving = new AbortController();
  setMaxListeners(0, leaving.signal);
  const followers = followCheckouts(app.parts);
  const pages = Array.from({ length: followed }, (_, n) => {
    const token = tokens[n % tokens.length]!;
    return {
      token,
      states: [] as string[],
      pieces: followers.follow(token, { address: '203.0.113.9' }, leaving.signal),
    };
  });
  const followAll = pages.map(async ({ states, pieces }) => {
    for await (const view of pieces) if (view) states.push(view.state);
  });
  await until(() => pages.every(({ states }) => states.length > 0), 60_000);
  const cpu = process.cpuUsage();
  const begun = performance.now();
  await sleep(soak ? 10_000 : 2500);
  const { user, system } = process.cpuUsage(cpu);
  const percent = (user + system) / 10 / (performance.now() - begun);
  await app.stranger.post(`/checkout/${tokens[0]}/simulate_payment`);
  const paid = pages.filter(({ token }) => token === tokens[0]);
  await until(() => paid.every(({ states }) => states.at(-1) === 'paid'));
  // The first look at a checkout may tell its page once more what it knows already.
  expect(pages.filter(({ states }) => states.at(-1) !== states[0])).toHaveLength(paid.length);
  leaving.abort();
  await Promise.all(followAll);
  reportFigures('open checkout pages', `${followed} that nothing happens to take ${percent.toFixed(1)} % of a CPU`);
});
