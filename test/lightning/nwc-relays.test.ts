import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/kernel/clock.ts';
import { createOutbound, type Outbound } from '../../src/kernel/outbound.ts';
import { NwcClient } from '../../src/lightning/nwc/client.ts';
import { signEvent } from '../../src/lightning/nwc/nostr-event.ts';
import { type NwcServer, startNwcServer } from '../rig/nwc-server.ts';
import { waitUntil } from '../rig/timing.ts';
import { PaperNode } from '../support/paper-node.ts';

const signal = new AbortController().signal;
/** A port of loopback that nobody listens on. */
const nobody = 'ws://127.0.0.1:9';

let clock: ManualClock;
let node: PaperNode;
let server: NwcServer;
let outbound: Outbound;
const clients: NwcClient[] = [];

beforeEach(async () => {
  clock = new ManualClock();
  node = new PaperNode(clock);
  server = await startNwcServer(node, 2);
  outbound = createOutbound({ allowPrivateNetworks: true });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await outbound.close();
  await server.stop();
});

function open(relays = server.relays.map(({ address }) => address)): NwcClient {
  const { walletPubkey, secret } = server;
  const client = new NwcClient({ relays, walletPubkey, secret }, outbound, clock);
  clients.push(client);
  return client;
}

const make = async (client: NwcClient) =>
  (await client.request('make_invoice', { amount: 1000, description: '', expiry: 900 }, signal)).payment_hash as string;

/** What a stream tells, as it comes: `open`, or the hash that was paid. */
function follow(client: NwcClient): { told: string[]; failed: () => boolean; leave: () => void } {
  const leaving = new AbortController();
  const told: string[] = [];
  let failed = false;
  const read = async () => {
    for await (const said of client.notifications(leaving.signal)) {
      told.push(said === undefined ? 'open' : String((said.notification as { payment_hash: string }).payment_hash));
    }
  };
  read().catch(() => {
    failed = true;
  });
  return { told, failed: () => failed, leave: () => leaving.abort() };
}

describe('several relays', () => {
  test('one that is dead and one that is slow are as good as one', async () => {
    server.relays[1]!.delayMillis = 100;
    const client = open([nobody, server.relays[1]!.address]);
    expect((await client.info(signal)).notifications).toContain('payment_received');
    const stream = follow(client);
    const hash = await make(client);
    node.pay(hash);
    await waitUntil(() => stream.told.includes(hash), 'the payment is told');
    expect(stream.failed()).toBe(false);
    stream.leave();
  });

  test('what comes over both, and twice over each, is told once', async () => {
    for (const relay of server.relays) relay.copies = 2;
    const client = open();
    const stream = follow(client);
    const hashes = await Promise.all(Array.from({ length: 5 }, () => make(client)));
    for (const hash of hashes) node.pay(hash);
    await waitUntil(() => hashes.every((hash) => stream.told.includes(hash)), 'all payments are told');
    expect(stream.told.filter((one) => one !== 'open').sort()).toEqual([...hashes].sort());
    stream.leave();
  });

  test('a wallet is asked once, however many relays carry the question', async () => {
    const client = open();
    await make(client);
    const asked = server.calls.filter(({ body }) => body.includes('make_invoice'));
    expect(asked).toHaveLength(1);
  });

  test('one that is lost leaves the stream open, and says so when it is back: something may have been missed', async () => {
    const client = open();
    const stream = follow(client);
    await waitUntil(() => stream.told.length === 2, 'both listen');
    server.relays[0]!.cut();
    await waitUntil(() => server.relays[0]!.subscriptionCount === 0, 'the first is gone');
    await make(client);
    await waitUntil(() => stream.told.length === 3, 'the first is back');
    expect(stream.failed()).toBe(false);
    stream.leave();
  });

  test('the loss of the last one ends the stream and all questions under way', async () => {
    const client = open();
    const stream = follow(client);
    await waitUntil(() => stream.told.length === 2, 'both listen');
    server.outage = 'hang';
    const asked = make(client);
    asked.catch(() => {});
    server.cut();
    await expect(asked).rejects.toMatchObject({ name: 'WalletFault', kind: 'unreachable' });
    await waitUntil(stream.failed, 'the stream ends');
  });

  test('none that can be reached is a fault at once', async () => {
    await expect(open([nobody, 'ws://127.0.0.1:7']).info(signal)).rejects.toMatchObject({ kind: 'unreachable' });
  });
});

describe('a relay that asks who we are', () => {
  beforeEach(() => {
    for (const relay of server.relays) relay.requiresAuth = true;
  });

  test('is told, and then serves everything', async () => {
    const client = open();
    expect((await client.info(signal)).methods).toContain('make_invoice');
    const stream = follow(client);
    const hash = await make(client);
    node.pay(hash);
    await waitUntil(() => stream.told.includes(hash), 'the payment is told');
    stream.leave();
  });

  test('is not the only one: a relay beside it that asks nothing carries on', async () => {
    server.relays[1]!.requiresAuth = false;
    expect(await make(open())).toMatch(/^[0-9a-f]{64}$/);
  });
});

test('a wallet that knows NIP-04 only is spoken to in NIP-04, and is heard in it', async () => {
  server.encryption = 'nip04';
  const client = open();
  const stream = follow(client);
  const hash = await make(client);
  node.pay(hash);
  await waitUntil(() => stream.told.includes(hash), 'the payment is told');
  const { events } = server.relays[0]!;
  for (const kind of [23_194, 23_195, 23_196]) {
    expect(events.find((event) => event.kind === kind)!.content).toMatch(/\?iv=/);
  }
  expect(events.find(({ kind }) => kind === 23_194)!.tags).toEqual([['p', server.walletPubkey]]);
  stream.leave();
});

test('a relay that makes answers up is not believed', async () => {
  const [relay] = server.relays;
  const client = open([relay!.address]);
  await client.info(signal);
  server.outage = 'hang';
  const asked = client.request('make_invoice', { amount: 1000 }, AbortSignal.timeout(400));
  asked.catch(() => {});
  await waitUntil(() => relay!.events.some(({ kind }) => kind === 23_194), 'the question is out');
  const question = relay!.events.find(({ kind }) => kind === 23_194)!;
  const forged = signEvent(
    { kind: 23_195, created_at: question.created_at, tags: [['e', question.id]], content: 'AAAA' },
    randomBytes(32),
  );
  server.outage = 'none';
  const plain = { ...forged, tags: [['e', question.id]] };
  relay!.publish(plain);
  relay!.publish({ ...plain, pubkey: server.walletPubkey });
  await expect(asked).rejects.toMatchObject({
    kind: 'unreachable',
    message: 'The request to the wallet was given up.',
  });
});

test('a reply is ours when any of the events that it names is our question', async () => {
  server.alsoNamed = '00'.repeat(32);
  expect(await make(open())).toMatch(/^[0-9a-f]{64}$/);
});

test('what the wallet may do is asked afresh, so that a probe sees a connection that was widened', async () => {
  const client = open();
  expect((await client.info(signal)).notifications).toContain('payment_received');
  clock.advanceSeconds(60);
  server.encryption = 'nip04';
  await client.info(signal);
  const hash = await make(client);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(server.relays[0]!.events.findLast(({ kind }) => kind === 23_194)!.content).toMatch(/\?iv=/);
});
