import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectWallet } from '../../src/flows/connect-wallet.ts';
import { claimDueInvoices, scheduleLook, wakeInvoicesOfWallet } from '../../src/store/invoice-watch.ts';
import { findInvoiceForJob } from '../../src/store/invoices.ts';
import { isStreamOpen } from '../../src/store/wallet-streams.ts';
import { StreamOwner } from '../../src/wallets/stream-owner.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { createOrderWithInvoice } from '../harness/orders.ts';
import { until } from '../harness/until.ts';
import { testWalletId } from '../harness/wallets.ts';
import type { WalletServer } from '../rig/wallet-server.ts';
import { dice, firstSeed } from '../storms/seeds.ts';
import { PaperNode } from '../support/paper-node.ts';
import { pastedConnection, type WalletKind, walletKinds } from '../support/wallet-kinds.ts';

// The clock hardly moves: whatever is looked up is so because the wallet told, or because its stream broke.

const pushing = Object.entries(walletKinds).filter(([name]) => name !== 'BTCPay Server');
const mostLooks = 3;

let app: TestApp;
let node: PaperNode;
let owner: StreamOwner;
const connected = new Map<string, Connected>();
const seed = firstSeed();
beforeAll(async () => {
  app = await openTestApp();
  node = new PaperNode(app.clock);
  owner = new StreamOwner(app.parts);
  for (const [name, kind] of pushing) connected.set(name, await connect(kind));
  await owner.round();
});
afterAll(async () => {
  await owner.stop();
  for (const { server } of connected.values()) await server.stop();
  await expectLedgerToHold(app);
  await app.close();
});

interface Connected {
  readonly merchant: TestMerchant;
  readonly server: WalletServer;
  readonly stream: Parameters<typeof isStreamOpen>[1];
}

async function connect(kind: WalletKind): Promise<Connected> {
  const merchant = await app.newMerchant();
  await merchant.test.patch(`/api/v1/m/wallets/${await testWalletId(app, merchant)}`, { wallet: { enabled: false } });
  const server = await kind.start(node);
  const scope = { merchantId: merchant.id, livemode: false };
  const request = { connection: pastedConnection(server) };
  const { wallet } = await connectWallet(app.parts, scope, request, new AbortController().signal);
  return { merchant, server, stream: { wallet_id: wallet.id, connection: wallet.connection } };
}

const isOpen = (stream: Connected['stream']) => isStreamOpen(app.parts.db, stream);

async function makeInvoices({ test }: TestMerchant, count: number): Promise<{ id: string; payment_hash: string }[]> {
  const made = await Promise.all(Array.from({ length: count }, () => createOrderWithInvoice(test)));
  return made.map(({ invoice }) => invoice);
}

const paymentsOf = ({ id }: TestMerchant) => app.rows('select invoice_id from payments where merchant_id = $1', [id]);

/** The test's clock goes on meanwhile: what the budget of a wallet's host puts off is due by that clock. */
function untilInTime(check: () => Promise<boolean>, what: string): Promise<void> {
  const look = async () => {
    app.clock.advanceSeconds(0.01);
    return check();
  };
  return until(look, 40_000, `${what} (SEED=${seed})`);
}

/** Late, twice, in any order: each payment is counted once, and looked up three times at most. */
async function storm({ merchant, server }: Connected): Promise<void> {
  const { below, pick } = dice(seed);
  server.pushes = () => pick([[0], [0, 0, 0], [below(60)], [below(60), below(60)], [40, 0]]);
  const invoices = await makeInvoices(merchant, 12);
  const before = server.calls.length;
  for (const { payment_hash } of invoices) {
    node.pay(payment_hash);
    await new Promise((resolve) => setTimeout(resolve, below(15)));
  }
  await untilInTime(async () => (await paymentsOf(merchant)).length >= invoices.length, 'all are paid');
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(await paymentsOf(merchant)).toHaveLength(invoices.length);
  const asked = server.calls.slice(before).map(({ path, body }) => `${path} ${body}`);
  for (const { payment_hash: hash } of invoices) {
    expect(asked.filter((call) => call.includes(hash)).length).toBeLessThanOrEqual(mostLooks);
  }
}

/** With half of what is told lost: every payment is found when the stream is back. */
async function cutTwice({ merchant, server, stream }: Connected): Promise<void> {
  const { chance, below } = dice(seed + 1);
  server.pushes = () => (chance(0.5) ? [] : [below(30)]);
  const before = (await paymentsOf(merchant)).length;
  const invoices = await makeInvoices(merchant, 8);
  for (const [index, { payment_hash }] of invoices.entries()) {
    if (index % 4 === 1) {
      server.outage = 'drop';
      server.cut();
      await untilInTime(async () => !(await isOpen(stream)), 'the break is noticed');
    }
    node.pay(payment_hash);
    if (index % 4 === 3) {
      server.outage = 'none';
      await untilInTime(() => isOpen(stream), 'the stream is back');
    }
  }
  await untilInTime(async () => (await paymentsOf(merchant)).length >= before + invoices.length, 'all are found');
  expect(await paymentsOf(merchant)).toHaveLength(before + invoices.length);
}

describe('every push late, doubled, reordered, lost and cut', () => {
  test.concurrent.each(pushing)('%s: nothing is lost, nothing is counted twice', async (name) => {
    const wallet = connected.get(name)!;
    await untilInTime(() => isOpen(wallet.stream), 'the stream opens');
    await storm(wallet);
    await cutTwice(wallet);
  });
});

test('a wallet that tells while it is being asked is asked again: its answer may be from before', async () => {
  const shop = await openTestApp({ watch: false });
  try {
    const merchant = await shop.newMerchant();
    const { db } = shop.parts;
    const { invoice } = await createOrderWithInvoice(merchant.test);
    shop.clock.advanceSeconds(30);
    const now = shop.clock.now();
    const due = { now, limit: 10, leaseSeconds: 20, busyWalletIds: [] };
    const [claimed] = await claimDueInvoices(db, due);
    expect(claimed!.id).toBe(invoice.id);
    expect(await wakeInvoicesOfWallet(db, claimed!.wallet_id, invoice.payment_hash, now)).toBe(1);
    // What was asked before the payment says pending, and plans the next look for much later.
    const later = new Date(now.getTime() + 300_000);
    await scheduleLook(db, claimed!, { nextLookAt: later, heldAt: null, lookedAt: now });
    expect(await claimDueInvoices(db, due)).toMatchObject([{ id: invoice.id }]);
  } finally {
    await shop.close();
  }
});

test('money that one look found held stays held when another, asked before, says that there is none', async () => {
  const shop = await openTestApp({ watch: false });
  try {
    const merchant = await shop.newMerchant();
    const { db } = shop.parts;
    const { invoice } = await createOrderWithInvoice(merchant.test);
    const now = shop.clock.now();
    const told = (heldAt: Date | null) => ({ nextLookAt: now, heldAt, lookedAt: now });
    const row = async () => (await findInvoiceForJob(db, invoice.id, now))!;
    const before = await row();
    await scheduleLook(db, before, told(now));
    await scheduleLook(db, before, told(null));
    expect((await row()).held_at).toEqual(now);
    // Who knew of it and finds it gone is believed.
    await scheduleLook(db, await row(), told(null));
    expect((await row()).held_at).toBeNull();
  } finally {
    await shop.close();
  }
});
