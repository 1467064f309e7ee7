import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { createOutbound, type Outbound } from '../../src/kernel/outbound.ts';
import { acceptedNetworks } from '../../src/lightning/acceptance.ts';
import { nwcConnector } from '../../src/lightning/adapters/nwc.ts';
import { parseConnection } from '../../src/wallets/parse-connection.ts';
import { type AlbyWallet, NWCClient, startAlbyWallet } from './alby-wallet.ts';
import { type Rig, startRig } from './network.ts';
import { startNwcServer } from './nwc-server.ts';
import { type RelayServer, startRelay } from './relay.ts';
import { waitUntil } from './timing.ts';

// Nostr Wallet Connect with Alby's code on the other side of a relay, and real sats on the rig's chain.

const signal = new AbortController().signal;
let rig: Rig;
let outbound: Outbound;

beforeAll(async () => {
  // The SDK tells the console what it does.
  for (const word of ['info', 'warn', 'error'] as const) vi.spyOn(console, word).mockImplementation(() => {});
  rig = await startRig();
  outbound = createOutbound({ allowPrivateNetworks: true });
});
afterAll(async () => {
  await outbound.close();
  await rig.stop();
  vi.restoreAllMocks();
});

describe.each([false, true])('Alby’s wallet, over a relay that wants to know who we are: %s', (requiresAuth) => {
  let relay: RelayServer;
  let wallet: AlbyWallet;
  beforeAll(async () => {
    relay = await startRelay();
    const keys = { wallet: randomBytes(32).toString('hex'), client: randomBytes(32).toString('hex') };
    wallet = await startAlbyWallet(rig.merchant, relay, keys);
    relay.requiresAuth = requiresAuth;
  });
  afterAll(async () => {
    wallet.stop();
    await relay.stop();
  });

  test('is connected by its string, is paid, tells by itself, and proves it', async () => {
    const connection = parseConnection(wallet.uri());
    if (connection.kind !== 'nwc') throw new Error('No such connection');
    const support = { outbound, networks: acceptedNetworks(false), clock: systemClock };
    const connector = nwcConnector({ ...connection, ...support });
    const leaving = new AbortController();
    try {
      expect(await connector.probe(signal)).toMatchObject({
        settlementVisibility: 'proof',
        canSpend: false,
        notes: [],
      });
      const request = { ref: 'alby', amountMsat: 21_000_000n, description: 'Tea ☕', expirySeconds: 900 };
      const made = await connector.createInvoice(request, signal);
      expect(await connector.lookupInvoice({ ...made, ref: 'alby' }, signal)).toEqual({ state: 'pending' });
      const unknown = { ...made, ref: 'alby', paymentHash: 'ab'.repeat(32) };
      expect(await connector.lookupInvoice(unknown, signal)).toEqual({ state: 'unknown' });
      let preimage: string | undefined;
      const told: (string | undefined)[] = [];
      for await (const hint of connector.follow!(undefined, leaving.signal)) {
        if (hint.kind === 'open') preimage ??= (await rig.payer.pay(made.bolt11)).preimage;
        else told.push(hint.paymentHash);
        if (told.includes(made.paymentHash)) break;
      }
      expect(await connector.lookupInvoice({ ...made, ref: 'alby' }, signal)).toMatchObject({
        state: 'settled',
        receivedMsat: 21_000_000n,
        preimage,
      });
      // Nobody was asked to pay, not even to find out whether they would.
      expect(relay.events.filter(({ kind }) => kind === 23_194).length).toBeGreaterThan(4);
    } finally {
      leaving.abort();
      await connector.close?.();
    }
  });
});

test('Alby’s client understands the rig’s own wallet: what it serves is what others speak', async () => {
  const server = await startNwcServer(rig.merchant);
  const client = new NWCClient({ nostrWalletConnectUrl: server.uri() });
  try {
    expect((await client.getInfo()).methods).toContain('make_invoice');
    const made = await client.makeInvoice({ amount: 5_000_000, description: 'Coffee', expiry: 600 });
    expect(made).toMatchObject({ state: 'pending', amount: 5_000_000, invoice: expect.stringMatching(/^lnbcrt/) });
    const told: string[] = [];
    const unsubscribe = await client.subscribeNotifications(({ notification }) => told.push(notification.payment_hash));
    await waitUntil(() => server.relays[0]!.subscriptionCount > 0, 'the client listens');
    const { preimage } = await rig.payer.pay(made.invoice);
    await waitUntil(() => told.includes(made.payment_hash), 'the client is told');
    unsubscribe();
    const found = await client.lookupInvoice({ payment_hash: made.payment_hash });
    expect(found).toMatchObject({ state: 'settled', preimage });
    await expect(client.payInvoice({ invoice: made.invoice })).rejects.toMatchObject({ code: 'RESTRICTED' });
  } finally {
    client.close();
    await server.stop();
  }
});
