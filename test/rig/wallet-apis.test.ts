import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/kernel/clock.ts';
import { createOutbound, type Outbound } from '../../src/kernel/outbound.ts';
import { acceptedNetworks } from '../../src/lightning/acceptance.ts';
import { walletKinds } from '../support/wallet-kinds.ts';
import { type Rig, startRig } from './network.ts';
import { waitUntil } from './timing.ts';

// Real sats on the rig's chain, through each wallet's own API: from asking for the invoice to the proof of payment.

const signal = new AbortController().signal;
const clock = new ManualClock(new Date());
const networks = acceptedNetworks(false);
let rig: Rig;
let outbound: Outbound;

beforeAll(async () => {
  rig = await startRig({ clock });
  outbound = createOutbound({ allowPrivateNetworks: true });
});
afterAll(async () => {
  await outbound.close();
  await rig.stop();
});

describe.each(Object.entries(walletKinds))('%s', (name, kind) => {
  test('is paid by a payer’s node and says so with the proof', async () => {
    const server = await kind.start(rig.merchant);
    try {
      const connector = kind.open(server as never, { outbound, networks, clock }, 'receiving');
      const request = { ref: `${name} 1`, amountMsat: 21_000_000n, description: 'Tea', expirySeconds: 900 };
      const made = await connector.createInvoice(request, signal);
      const lookUp = () => connector.lookupInvoice({ ...made, ref: request.ref }, signal);
      expect(await lookUp()).toEqual({ state: 'pending' });
      const { preimage } = await rig.payer.pay(made.bolt11);
      await waitUntil(() => rig.merchant.received(made.paymentHash) !== undefined, 'the money arrives');
      const fact = await lookUp();
      expect(fact).toMatchObject({ state: 'settled', preimage });
      expect(createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')).toBe(made.paymentHash);
    } finally {
      await server.stop();
    }
  });

  test.skipIf(name === 'BTCPay Server')('tells by itself when it is paid', async () => {
    const server = await kind.start(rig.merchant);
    const leaving = new AbortController();
    const connector = kind.open(server as never, { outbound, networks, clock }, 'receiving');
    try {
      const request = { ref: `${name} push`, amountMsat: 21_000_000n, description: 'Tea', expirySeconds: 900 };
      const made = await connector.createInvoice(request, signal);
      const paid = new Set<string | undefined>();
      for await (const hint of connector.follow!(undefined, leaving.signal)) {
        if (hint.kind === 'open') await rig.payer.pay(made.bolt11);
        else paid.add(hint.paymentHash);
        if (paid.has(made.paymentHash)) break;
      }
      expect(paid).toContain(made.paymentHash);
    } finally {
      leaving.abort();
      await connector.close?.();
      await server.stop();
    }
  });

  test('40 invoices at once are 40 invoices', async () => {
    const server = await kind.start(rig.merchant);
    try {
      const connector = kind.open(server as never, { outbound, networks, clock }, 'receiving');
      const made = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          connector.createInvoice(
            { ref: `${name} many ${index}`, amountMsat: 1_000_000n, description: '', expirySeconds: 900 },
            signal,
          ),
        ),
      );
      expect(new Set(made.map(({ paymentHash }) => paymentHash)).size).toBe(40);
    } finally {
      await server.stop();
    }
  });
});
