import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { saveWallet, tryWallet } from '../../src/flows/connect-wallet.ts';
import { addSeconds } from '../../src/kernel/clock.ts';
import type { Connector, WalletHint } from '../../src/lightning/connector.ts';
import { sealedPlace } from '../../src/model/sealed-columns.ts';
import type { WalletRow } from '../../src/model/wallet.ts';
import { findWalletForJob } from '../../src/store/wallets.ts';
import { createWalletRuntime, saveProbe, type WalletRuntime } from '../../src/wallets/runtime.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { FakeWallet, gate } from '../harness/fake-wallet.ts';
import { until } from '../harness/until.ts';
import { addWallet, changeWallet } from '../harness/wallets.ts';
import { type NwcServer, startNwcServer } from '../rig/nwc-server.ts';
import { PaperNode } from '../support/paper-node.ts';

let app: TestApp;
let merchant: TestMerchant;
const servers: NwcServer[] = [];
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await app.close();
});

const never = new AbortController().signal;
const request = () => ({ ref: randomUUID(), amountMsat: 1000n, description: 'Tea', expirySeconds: 900 });
const ask = (runtime: WalletRuntime, wallet: WalletRow) => runtime.createInvoice([wallet], request(), never);
const rowOf = async (id: string) => (await findWalletForJob(app.parts.db, id))!;
const probe = { settlementVisibility: 'proof', minSats: 1, maxSats: null, canSpend: false, notes: [] } as const;
/** What the daily probe and a merchant's new name do to the row. */
async function touch(id: string): Promise<WalletRow> {
  await saveProbe(app.parts.db, id, probe, addSeconds(app.clock.now(), 1));
  await merchant.test.patch(`/api/v1/m/wallets/${id}`, { wallet: { name: `Till ${randomUUID()}` } });
  await changeWallet(app, id, { name: 'Till' });
  return rowOf(id);
}

/** A wallet in whose place every connector is counted, and what each is asked. */
async function openCounted() {
  const { db, clock, log, metrics } = app.parts;
  const id = await addWallet(app, merchant);
  const opened: { fake: FakeWallet; closed: number }[] = [];
  const runtime = createWalletRuntime({
    db,
    clock,
    log,
    metrics,
    open() {
      const one = { fake: new FakeWallet(clock), closed: 0 };
      opened.push(one);
      const connector: Connector = {
        ...one.fake.connector,
        async *follow(_cursor, signal): AsyncGenerator<WalletHint> {
          yield { kind: 'open', resumed: false };
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        },
        close: async () => void one.closed++,
      };
      return connector;
    },
  });
  return { id, opened, runtime };
}

test('a wallet that is renamed or probed while it is asked goes on over the same connector', async () => {
  const { id, opened, runtime } = await openCounted();
  const before = await rowOf(id);
  const underWay = gate((of) => opened[0]!.fake.make(of as ReturnType<typeof request>));
  await ask(runtime, before);
  opened[0]!.fake.onCreate = underWay.call;
  const first = ask(runtime, before);
  const after = await touch(id);
  const second = ask(runtime, after);
  const third = ask(runtime, before);
  underWay.open();
  await Promise.all([first, second, third]);
  expect(opened.map(({ closed }) => closed)).toEqual([0]);
  expect((await rowOf(id)).consecutive_failures).toBe(0);
  await runtime.close();
  expect(opened.map(({ closed }) => closed)).toEqual([1]);
});

test('what opens it differently counts at once; the connector before is closed after its last call, and only then', async () => {
  const { id, opened, runtime } = await openCounted();
  const before = await rowOf(id);
  await ask(runtime, before);
  const underWay = gate((of) => opened[0]!.fake.make(of as ReturnType<typeof request>));
  opened[0]!.fake.onCreate = underWay.call;
  const first = ask(runtime, before);
  await changeWallet(app, id, { settings: { delayMs: 1 } });
  const after = await rowOf(id);
  await ask(runtime, after);
  // Somebody who read the wallet before the change does not bring the old one back.
  await ask(runtime, before);
  await ask(runtime, after);
  expect(opened.map(({ closed, fake }) => [closed, fake.created.length])).toEqual([
    [0, 2],
    [0, 3],
  ]);
  underWay.open();
  await first;
  await until(() => opened[0]!.closed === 1);
  await runtime.close();
  expect(opened.map(({ closed }) => closed)).toEqual([1, 1]);
  expect((await rowOf(id)).consecutive_failures).toBe(0);
});

test('a credential that was only sealed anew is not gone to and fro about', async () => {
  const { id, opened, runtime } = await openCounted();
  const before = await rowOf(id);
  const sealedAnew = { ...before, credentials: Buffer.from('sealed anew') };
  for (const row of [before, sealedAnew, before, sealedAnew, before]) await ask(runtime, row);
  expect(opened.map(({ closed }) => closed)).toEqual([1, 0]);
  await runtime.close();
});

test('a stream ends when its wallet is opened anew, and holds up no closing', async () => {
  const { id, opened, runtime } = await openCounted();
  const hints: WalletHint[] = [];
  const following = (async () => {
    for await (const hint of runtime.follow(await rowOf(id), undefined, never)!) hints.push(hint);
  })();
  await until(() => hints.length === 1);
  await ask(runtime, await touch(id));
  expect(opened.map(({ closed }) => closed)).toEqual([0]);
  await changeWallet(app, id, { settings: { delayMs: 1 } });
  await ask(runtime, await rowOf(id));
  await following;
  await until(() => opened[0]!.closed === 1);
  await runtime.release(id);
  expect(opened.map(({ closed }) => closed)).toEqual([1, 1]);
});

test('a wallet that nobody asks any more is let go of', async () => {
  const { id, opened, runtime } = await openCounted();
  await ask(runtime, await rowOf(id));
  app.clock.advanceSeconds(3601);
  const other = await rowOf(await addWallet(app, merchant));
  await ask(runtime, other);
  expect(opened.map(({ closed }) => closed)).toEqual([1, 0]);
  await runtime.close();
});

test('over a relay: nothing under way is cut off, another secret is used at once, and one socket stays', async () => {
  const server = await startNwcServer(new PaperNode(app.clock));
  servers.push(server);
  const relay = server.relays[0]!;
  const runtime = app.parts.wallets;
  const scope = { merchantId: merchant.id, livemode: false };
  const tried = await tryWallet(app.parts, scope, { connection: server.uri() }, never);
  const before = await app.parts.db.transaction((tx) => saveWallet(tx, app.parts, scope, tried));
  await ask(runtime, before);
  await until(() => relay.subscriptionCount === 2);
  const secretOf = (count: number) => relay.events.filter(({ kind }) => kind === 23_194).slice(count);

  relay.delayMillis = 200;
  const first = ask(runtime, before);
  await sleep(50);
  const touched = await touch(before.id);
  await Promise.all([first, ask(runtime, touched), ask(runtime, before)]);
  expect((await rowOf(before.id)).consecutive_failures).toBe(0);
  expect(relay.subscriptionCount).toBe(2);

  const asked = secretOf(0).length;
  const inFlight = ask(runtime, touched);
  await until(() => secretOf(0).length === asked + 1);
  const connection = {
    kind: 'nwc',
    relays: [relay.address],
    walletPubkey: server.walletPubkey,
    secret: server.spendingSecret,
  };
  const place = sealedPlace('wallets.credentials', before.id);
  const credentials = app.parts.sealer.seal(Buffer.from(JSON.stringify(connection)), place);
  await changeWallet(app, before.id, { credentials });
  await Promise.all([inFlight, ask(runtime, await rowOf(before.id))]);
  const keys = secretOf(asked).map(({ pubkey }) => pubkey);
  expect(new Set(keys).size).toBe(2);
  expect((await rowOf(before.id)).consecutive_failures).toBe(0);
  await until(() => relay.subscriptionCount === 2);
  await runtime.release(before.id);
  await until(() => relay.subscriptionCount === 0);
});
