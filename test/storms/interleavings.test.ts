import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookUpInvoice } from '../../src/flows/look-up-invoice.ts';
import { settlePayment } from '../../src/flows/settle-payment.ts';
import type { Job } from '../../src/jobs/job.ts';
import { watchInvoices } from '../../src/jobs/watch-invoices.ts';
import { simulatedPreimage } from '../../src/lightning/adapters/simulated.ts';
import { claimDueInvoices } from '../../src/store/invoice-watch.ts';
import { findInvoiceForJob } from '../../src/store/invoices.ts';
import { insertSimulatedPayment } from '../../src/store/simulated-payments.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import type { Reply } from '../harness/client.ts';
import { onPostgres } from '../harness/database.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { createOrder, createOrderWithInvoice } from '../harness/orders.ts';
import { reportFigures } from './figures.ts';
import { type Dice, dice, firstSeed, soak } from './seeds.ts';

/**
 * Everything that can happen to an order, at once: its wallet pushes, the watcher polls, people ask and pay and change
 * and cancel and take cash, time jumps over its end, the watcher is stopped and started, claims are left by the dead.
 * Each order has its own seed; `SEED=n ORDERS=1` plays that order again (the machine's own timing stays its own). The
 * embedded engine has one connection, over which fewer things happen at once: fewer orders show them.
 */
const orders = Number(process.env.ORDERS ?? (soak ? 20_000 : onPostgres ? 500 : 200));
/** Few enough that connections don't queue for seconds on a small machine. */
const atOnce = 40;

let app: TestApp;
let merchant: TestMerchant;
let wallet: { id: string };
let watcher: Job;
/** What the service complained about, to be read when the storm fails. */
const complaints: string[] = [];

beforeAll(async () => {
  const log = pino({ level: 'error' }, { write: (line: string) => void complaints.push(line) });
  app = await openTestApp({ watch: false, log });
  merchant = await app.newMerchant();
  [wallet] = (await app.rows<{ id: string }>('select id from wallets where merchant_id = $1', [merchant.id])) as [
    { id: string },
  ];
  watcher = watchInvoices(app.parts);
});
afterAll(async () => {
  await watcher?.stop();
  await app?.close();
});

interface Story {
  seed: number;
  orderId: string;
  /** Every invoice of the order, oldest first. */
  invoiceIds: string[];
  log: string[];
}

type Act = (story: Story, roll: Dice) => Promise<void>;

const row = (id: string) => findInvoiceForJob(app.parts.db, id, app.clock.now());
const path = (story: Story) => `/api/v1/m/orders/${story.orderId}`;

/** Notes what was answered; anything that a caller could not have caused fails the storm. */
function note(story: Story, act: string, { status, body }: Reply, allowed: number[]): void {
  story.log.push(`${act} ${status}`);
  if (!allowed.includes(status)) {
    throw new Error(
      `seed ${story.seed}: ${act} answered ${status} ${JSON.stringify(body)} after ${story.log.join(', ')}`,
    );
  }
}

/** The wallet has the money. What it says from now on, by whatever way it says it. */
async function payAtWallet(invoiceId: string, roll: Dice) {
  const invoice = (await row(invoiceId))!;
  const receivedMsat = BigInt(invoice.amount_sats) * BigInt(roll.pick([1000, 1000, 1000, 1500]));
  await insertSimulatedPayment(
    app.parts.db,
    {
      payment_hash: invoice.payment_hash,
      settles_at: app.clock.now(),
      received_msat: receivedMsat,
      with_preimage: roll.chance(0.8),
    },
    app.clock.now(),
  );
  return invoice;
}

const acts: Record<string, { weight: number; act: Act }> = {
  push: {
    weight: 4,
    act: async (story, roll) => {
      const invoice = await payAtWallet(roll.pick(story.invoiceIds), roll);
      const secret = app.parts.sealer.deriveKey(`simulated wallet ${wallet.id}`);
      const preimage = roll.chance(0.7) ? simulatedPreimage(secret, invoice.ref).toString('hex') : undefined;
      const fact = { state: 'settled' as const, receivedMsat: undefined, preimage, settledAt: undefined };
      await Promise.all(Array.from({ length: 1 + roll.below(3) }, () => settlePayment(app.parts, invoice.id, fact)));
      story.log.push('push');
    },
  },
  quietly: {
    weight: 2,
    act: async (story, roll) => {
      // Paid, and nobody says so: the watcher has to find it.
      await payAtWallet(roll.pick(story.invoiceIds), roll);
      story.log.push('quietly');
    },
  },
  poll: {
    weight: 4,
    act: async (story, roll) => {
      const invoice = await row(roll.pick(story.invoiceIds));
      await lookUpInvoice(app.parts, invoice!, app.parts.stopping);
      story.log.push('poll');
    },
  },
  status: {
    weight: 3,
    act: async (story, roll) =>
      note(story, 'status', await merchant.test.get(`/api/v1/m/invoices/${roll.pick(story.invoiceIds)}/status`), [200]),
  },
  simulate: {
    weight: 5,
    act: async (story, roll) => {
      const body = roll.pick([{}, {}, {}, { amount_sats: 7500 }, { after_seconds: 5 }, { after_seconds: 1000 }]);
      const url = `/api/v1/m/invoices/${roll.pick(story.invoiceIds)}/simulate_payment`;
      note(story, 'simulate', await merchant.test.post(url, body), [200]);
    },
  },
  generate: {
    weight: 3,
    act: async (story) => {
      const reply = await merchant.test.post('/api/v1/m/invoices/generate', { order_id: story.orderId });
      note(story, 'generate', reply, [201, 409, 422]);
      if (reply.status === 201 && !story.invoiceIds.includes(reply.body.id)) story.invoiceIds.push(reply.body.id);
    },
  },
  total: {
    weight: 3,
    act: async (story, roll) => {
      const order = { total_amount_cents: roll.pick([300, 500, 800, 1200]) };
      note(story, 'total', await merchant.test.patch(path(story), { order }), [200, 409]);
    },
  },
  cash: {
    weight: 1,
    act: async (story) => {
      const body = { order: { tender_type: 'cash' }, mark_as_paid: true };
      note(story, 'cash', await merchant.test.patch(path(story), body), [200, 409]);
    },
  },
  cancel: {
    weight: 1,
    act: async (story) => note(story, 'cancel', await merchant.test.delete(path(story)), [204, 409]),
  },
  show: {
    weight: 1,
    act: async (story) => note(story, 'show', await merchant.test.get(`${path(story)}?expand=invoice`), [200]),
  },
};
const bag = Object.entries(acts).flatMap(([name, { weight }]) => Array.from({ length: weight }, () => name));

/** One to three people work on the order at once, each through a few acts. */
async function play(seed: number): Promise<Story> {
  const roll = dice(seed);
  const client = merchant.test;
  const order = roll.chance(0.8) ? await createOrderWithInvoice(client) : await createOrder(client);
  const story: Story = { seed, orderId: order.id, invoiceIds: order.invoice ? [order.invoice.id] : [], log: [] };
  if (!order.invoice) await acts.generate!.act(story, roll);
  const people = Array.from({ length: 1 + roll.below(3) }, async () => {
    for (const name of Array.from({ length: 2 + roll.below(3) }, () => roll.pick(bag))) {
      if (roll.chance(0.5)) await sleep(roll.below(20));
      await acts[name]!.act(story, roll);
    }
  });
  await Promise.all(people);
  return story;
}

/** What happens to all orders while they are played: time passes and watchers come and go. */
async function weather(seed: number, over: () => boolean): Promise<void> {
  const roll = dice(seed);
  while (!over()) {
    await sleep(20 + roll.below(80));
    if (roll.chance(0.3)) app.clock.advanceSeconds(1 + roll.below(4));
    // Over the end of every open invoice.
    if (roll.chance(0.02)) app.clock.advanceSeconds(930);
    if (roll.chance(0.15)) {
      await watcher.stop();
      watcher = watchInvoices(app.parts);
    }
    if (roll.chance(0.1)) {
      // A process takes invoices and dies; its lease is short, or the test would wait for it.
      await claimDueInvoices(app.parts.db, { now: app.clock.now(), limit: 3, leaseSeconds: 0.2, busyWalletIds: [] });
    }
  }
}

/** Everything is looked at once more, as the watcher would in the end. */
async function settleDown(stories: readonly Story[]): Promise<void> {
  app.clock.advanceSeconds(1100);
  for (const { invoiceIds } of stories) {
    for (const id of invoiceIds) await lookUpInvoice(app.parts, (await row(id))!, app.parts.stopping);
  }
}

/** The wallet's books against ours: each settled invoice has exactly one payment, no other has any. */
async function expectOnePaymentEach(): Promise<number> {
  const wrong = await app.rows(
    `select i.id, s.payment_hash is not null as settled, count(p.id) as payments
       from invoices i
       left join simulated_payments s on s.payment_hash = i.payment_hash and s.settles_at <= $1
       left join payments p on p.invoice_id = i.id
      group by i.id, s.payment_hash having count(p.id) <> (s.payment_hash is not null)::int`,
    [app.clock.now()],
  );
  expect(wrong).toEqual([]);
  // An open invoice asks for exactly what is due.
  const asking = await app.rows(
    `select i.id from invoices i join orders o on o.id = i.order_id
      where i.paid_at is null and i.superseded_at is null
        and i.quoted_cents <> o.total_amount_cents - (
              select coalesce(sum(p.quoted_cents), 0) from invoices p where p.order_id = o.id and p.paid_at is not null)`,
  );
  expect(asking).toEqual([]);
  const [count] = await app.rows<{ count: number }>('select count(*) as count from payments');
  return count!.count;
}

test(`${orders} orders in a storm: exactly one payment for each settled invoice`, {
  timeout: soak ? 3_600_000 : 900_000,
}, async () => {
  const seed = firstSeed();
  console.log(`SEED=${seed} (${orders} orders, ${atOnce} at once)`);
  const begun = performance.now();
  const stories: Story[] = [];
  let next = 0;
  let over = false;
  const outside = weather(seed, () => over);
  const playing = Array.from({ length: Math.min(atOnce, orders) }, async () => {
    while (next < orders) stories.push(await play(seed + next++));
  });
  await Promise.all(playing)
    .catch((error) => {
      console.log(complaints.slice(-5).join(''));
      throw error;
    })
    .finally(() => {
      next = orders;
      over = true;
    });
  await outside;
  await settleDown(stories);
  const payments = await expectOnePaymentEach();
  await expectLedgerToHold(app);
  expect(complaints).toEqual([]);

  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const invoices = stories.reduce((sum, { invoiceIds }) => sum + invoiceIds.length, 0);
  const answers = new Map<string, number>();
  for (const line of stories.flatMap(({ log }) => log)) answers.set(line, (answers.get(line) ?? 0) + 1);
  const counts = [...answers].sort().map(([line, count]) => `${line}: ${count}`);
  console.log(counts.join(', '));
  reportFigures(
    `${orders} orders in random interleavings`,
    `${invoices} invoices, ${payments} payments, one for each that was paid; ${seconds} s`,
    seed,
  );
});
