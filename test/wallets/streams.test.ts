import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectWallet } from '../../src/flows/connect-wallet.ts';
import { findInvoiceForJob } from '../../src/store/invoices.ts';
import { isStreamOpen } from '../../src/store/wallet-streams.ts';
import { StreamOwner } from '../../src/wallets/stream-owner.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { createOrderWithInvoice } from '../harness/orders.ts';
import { until } from '../harness/until.ts';
import { testWalletId } from '../harness/wallets.ts';
import { startLndServer } from '../rig/lnd-server.ts';
import { startNwcServer } from '../rig/nwc-server.ts';
import { startPhoenixdServer } from '../rig/phoenixd-server.ts';
import { PaperNode } from '../support/paper-node.ts';

let app: TestApp;
let node: PaperNode;
let merchant: TestMerchant;
const owners: StreamOwner[] = [];
beforeAll(async () => {
  app = await openTestApp();
  node = new PaperNode(app.clock);
});
afterAll(() => app.close());
beforeEach(async () => {
  merchant = await app.newMerchant();
  await merchant.test.patch(`/api/v1/m/wallets/${await testWalletId(app, merchant)}`, { wallet: { enabled: false } });
});
afterEach(async () => {
  await Promise.all(owners.splice(0).map((owner) => owner.stop()));
  // The next test's owner follows its own wallets only.
  await app.rows('update wallets set enabled = false where merchant_id = $1 returning id', [merchant.id]);
});

const newOwner = () => {
  const owner = new StreamOwner(app.parts);
  owners.push(owner);
  return owner;
};
const connect = (connection: string) =>
  connectWallet(app.parts, { merchantId: merchant.id, livemode: false }, { connection }, new AbortController().signal);
const invoiceRow = async (id: string) => (await findInvoiceForJob(app.parts.db, id, app.clock.now()))!;
const isOpen = (walletId: string, connection: 'lnd' | 'nwc' | 'phoenixd') =>
  isStreamOpen(app.parts.db, { wallet_id: walletId, connection });
const isPaid = async (id: string) => (await invoiceRow(id)).paid_at !== null;

const wallets = {
  lnd: async () => {
    const server = await startLndServer(node);
    return { server, connection: `lnd+${server.url}?macaroon=${server.invoiceMacaroon}` };
  },
  nwc: async () => {
    const server = await startNwcServer(node);
    return { server, connection: server.uri() };
  },
  phoenixd: async () => {
    const server = await startPhoenixdServer(node);
    return { server, connection: `phoenixd+${server.url}?password=${server.limitedPassword}` };
  },
};

describe.each(['lnd', 'nwc', 'phoenixd'] as const)('%s', (kind) => {
  test('what the wallet tells is looked up at once: paid with few look-ups, and one payment however often it is told', async () => {
    const { server, connection } = await wallets[kind]();
    server.pushes = () => [0, 0, 0];
    try {
      const { wallet } = await connect(connection);
      await newOwner().round();
      await until(() => isOpen(wallet.id, kind), 8000, 'the stream opens');
      const made = await Promise.all(Array.from({ length: 5 }, () => createOrderWithInvoice(merchant.test)));
      const ids = made.map(({ invoice }) => invoice.id as string);
      for (const { invoice } of made) node.pay(invoice.payment_hash);
      // Hints bring the look-up to now; the clock stands still, so that no plan of the watcher would.
      for (const id of ids) await until(() => isPaid(id), 8000, 'the invoice is paid');
      for (const id of ids) expect((await invoiceRow(id)).look_count).toBeLessThanOrEqual(3);
      const payments = await app.rows('select invoice_id from payments where merchant_id = $1', [merchant.id]);
      expect(payments).toHaveLength(5);
    } finally {
      await server.stop();
    }
  });

  test('what was paid while the connection was cut is found when it is back', async () => {
    const { server, connection } = await wallets[kind]();
    try {
      const { wallet } = await connect(connection);
      const { invoice } = await createOrderWithInvoice(merchant.test);
      await newOwner().round();
      await until(() => isOpen(wallet.id, kind), 8000, 'the stream opens');
      server.outage = 'drop';
      server.cut();
      await until(async () => !(await isOpen(wallet.id, kind)), 8000, 'the break is noticed');
      node.pay(invoice.payment_hash);
      server.outage = 'none';
      await until(() => isPaid(invoice.id), 8000, 'the payment is found');
    } finally {
      await server.stop();
    }
  });
});

test('a push that never comes costs time only: the watcher looks by itself, less often (case C119)', async () => {
  const { server, connection } = await wallets.nwc();
  server.pushes = () => [];
  try {
    const { wallet } = await connect(connection);
    await newOwner().round();
    await until(() => isOpen(wallet.id, 'nwc'), 8000, 'the stream opens');
    const { invoice } = await createOrderWithInvoice(merchant.test);
    app.clock.advanceSeconds(5);
    await until(async () => (await invoiceRow(invoice.id)).look_count > 0, 8000, 'the first look');
    const next = (await invoiceRow(invoice.id)).next_look_at!.getTime() - app.clock.now().getTime();
    expect(next).toBeGreaterThan(250_000);
    // Whoever asks gets what is known, without another look.
    expect((await merchant.test.get(`/api/v1/m/invoices/${invoice.id}/status`)).body).toMatchObject({ paid: false });
    expect((await invoiceRow(invoice.id)).look_count).toBe(1);
    node.pay(invoice.payment_hash);
    app.clock.advanceSeconds(301);
    await until(() => isPaid(invoice.id), 8000, 'the payment is found');
  } finally {
    await server.stop();
  }
});

test('one process follows a wallet; another takes over when its lease is given back or runs out', async () => {
  const { server, connection } = await wallets.phoenixd();
  try {
    const { wallet } = await connect(connection);
    const [first, second] = [newOwner(), newOwner()];
    await Promise.all([first.round(), second.round()]);
    await until(() => isOpen(wallet.id, 'phoenixd'), 8000, 'the stream opens');
    const owner = async () =>
      (await app.rows<{ owner: string }>('select owner from wallet_streams where wallet_id = $1', [wallet.id]))[0]
        ?.owner;
    const before = await owner();
    await Promise.all([first.round(), second.round()]);
    expect(await owner()).toBe(before);
    // As if its process had died: the lease has run out and is not renewed.
    await app.rows(
      `update wallet_streams set lease_until = clock_timestamp() - interval '1 second' where wallet_id = $1 returning owner`,
      [wallet.id],
    );
    expect(await isOpen(wallet.id, 'phoenixd')).toBe(false);
    const third = newOwner();
    await third.round();
    await until(() => isOpen(wallet.id, 'phoenixd'), 8000, 'the stream opens again');
    expect(await owner()).not.toBe(before);
    const after = await owner();
    await Promise.all([first.round(), second.round()]);
    expect(await owner()).toBe(after);
    const { invoice } = await createOrderWithInvoice(merchant.test);
    node.pay(invoice.payment_hash);
    await until(() => isPaid(invoice.id), 8000, 'the new owner hears of the payment');
  } finally {
    await server.stop();
  }
});
