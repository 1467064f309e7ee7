import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/kernel/clock.ts';
import { createOutbound } from '../../src/kernel/outbound.ts';
import { acceptedNetworks } from '../../src/lightning/acceptance.ts';
import { clnConnector } from '../../src/lightning/adapters/cln.ts';
import { lnbitsConnector } from '../../src/lightning/adapters/lnbits.ts';
import { lndConnector } from '../../src/lightning/adapters/lnd.ts';
import type { WalletHint } from '../../src/lightning/connector.ts';
import { startClnServer } from '../rig/cln-server.ts';
import { startLnbitsServer } from '../rig/lnbits-server.ts';
import { PaperNode } from '../support/paper-node.ts';
import { type Credential, walletKinds } from '../support/wallet-kinds.ts';
import { describeConnector } from './connector-contract.ts';

const never = new AbortController().signal;

for (const [name, kind] of Object.entries(walletKinds)) {
  async function open(credential: Credential) {
    const clock = new ManualClock();
    const node = new PaperNode(clock);
    const server = await kind.start(node);
    const outbound = createOutbound({ allowPrivateNetworks: true });
    const networks = acceptedNetworks(false);
    const connector = kind.open(server as never, { outbound, networks, clock }, credential);
    const close = async () => {
      await connector.close?.();
      await outbound.close();
      await server.stop();
    };
    return { clock, node, server, networks, connector, close };
  }

  describeConnector(name, async () => {
    const { node, server, ...rest } = await open('receiving');
    return {
      ...rest,
      pay: (paymentHash, how) => node.pay(paymentHash, how),
      setWallet(state) {
        server.outage = ({ working: 'none', failing: 'fail', hanging: 'hang' } as const)[state];
      },
    };
  });

  test(`${name}: a credential that could spend is told from one that cannot, and nothing is paid to find out`, async () => {
    const { connector, server, close } = await open('spending');
    try {
      expect(await connector.probe(never)).toMatchObject({ canSpend: true });
      expect(server.calls.filter(({ body }) => /lnbc/i.test(body))).toEqual([]);
    } finally {
      await close();
    }
  });

  test(`${name}: a wrong credential is named as that, and never repeated`, async () => {
    const { connector, close } = await open('wrong');
    try {
      const error = await connector.probe(never).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ name: 'WalletFault', kind: 'unauthorized' });
      expect((error as Error).message).not.toMatch(/wrong|ffff/);
    } finally {
      await close();
    }
  });

  test(`${name}: an invoice for another amount than the one asked, or for none, is refused (case C012)`, async () => {
    const { connector, node, close } = await open('receiving');
    const honest = node.createInvoice;
    try {
      for (const given of [20_000n, 21_001n, 22_000n, null]) {
        node.createInvoice = (wanted) => honest({ ...wanted, amountMsat: given });
        const request = { ref: `for ${given}`, amountMsat: 21_000n, description: '', expirySeconds: 900 };
        const error = await connector.createInvoice(request, never).catch((reason: unknown) => reason);
        expect([given, error]).toEqual([given, expect.objectContaining({ name: 'WalletFault', kind: 'bad_invoice' })]);
      }
    } finally {
      await close();
    }
  });

  test(`${name}: an invoice that the wallet does not know is unknown, not expired`, async () => {
    const { connector, close } = await open('receiving');
    try {
      const request = { ref: 'r', paymentHash: 'ab'.repeat(32), bolt11: '', handle: { id: 'cd'.repeat(32) } };
      expect(await connector.lookupInvoice(request, never)).toEqual({ state: 'unknown' });
    } finally {
      await close();
    }
  });
}

const pushing = Object.entries(walletKinds).filter(([name]) => name !== 'BTCPay Server');

describe.each(pushing)('%s tells by itself', (name, kind) => {
  test('of payments while it is followed, and of a cut connection; nothing paid meanwhile is lost', async () => {
    const clock = new ManualClock();
    const node = new PaperNode(clock);
    const server = await kind.start(node);
    const outbound = createOutbound({ allowPrivateNetworks: true });
    const connector = kind.open(server as never, { outbound, networks: acceptedNetworks(false), clock }, 'receiving');
    const leaving = new AbortController();
    const make = async (ref: string) => {
      const request = { ref, amountMsat: 21_000n, description: 'Tea', expirySeconds: 900 };
      return (await connector.createInvoice(request, never)).paymentHash;
    };
    const read = async (hints: AsyncIterator<WalletHint>) => (await hints.next()).value as WalletHint;
    try {
      const [first, second, third] = [await make('1'), await make('2'), await make('3')];
      const hints = connector.follow!(undefined, leaving.signal)[Symbol.asyncIterator]();
      expect(await read(hints)).toEqual({ kind: 'open', resumed: false });
      node.pay(first);
      const told = await read(hints);
      expect(told).toMatchObject({ kind: 'paid', paymentHash: first });
      server.cut();
      await expect(hints.next()).rejects.toMatchObject({ name: 'WalletFault', kind: 'unreachable' });
      node.pay(second);
      await new Promise((resolve) => setTimeout(resolve, 30));
      const cursor = told.kind === 'paid' ? told.cursor : undefined;
      const again = connector.follow!(cursor, leaving.signal)[Symbol.asyncIterator]();
      const hashes: unknown[] = [];
      let isResumed = false;
      while (!hashes.includes(third)) {
        const hint = await read(again);
        if (hint.kind === 'paid') hashes.push(hint.paymentHash);
        else {
          isResumed = hint.resumed;
          node.pay(third);
        }
      }
      expect(isResumed).toBe(['LND', 'Core Lightning'].includes(name));
      expect(hashes).toEqual(isResumed ? [second, third] : [third]);
      leaving.abort();
      await again.next().catch(() => {});
    } finally {
      leaving.abort();
      await connector.close?.();
      await outbound.close();
      await server.stop();
    }
  });
});

test('LNbits: what is above its limits is refused, and trouble of the node behind it is no refusal', async () => {
  const clock = new ManualClock();
  const server = await startLnbitsServer(new PaperNode(clock));
  const outbound = createOutbound({ allowPrivateNetworks: true });
  const { url, invoiceKey } = server;
  const connector = lnbitsConnector({ url, invoiceKey, outbound, networks: acceptedNetworks(false), clock });
  const request = { ref: 'one', amountMsat: 21_000n, description: 'Tea', expirySeconds: 900 };
  try {
    server.refusal = { detail: 'Invoice amount 21 sats is too high. Max allowed: 20 sats.', status: 'failed' };
    await expect(connector.createInvoice(request, never)).rejects.toMatchObject({
      kind: 'refused',
      message: `The wallet refused: ${server.refusal.detail}`,
    });
    server.refusal = { detail: 'unexpected backend error.', status: 'pending' };
    await expect(connector.createInvoice(request, never)).rejects.toMatchObject({ kind: 'unreachable' });
  } finally {
    await outbound.close();
    await server.stop();
  }
});

test('Core Lightning: the same reference makes one invoice, however often it is asked', async () => {
  const clock = new ManualClock();
  const server = await startClnServer(new PaperNode(clock));
  const outbound = createOutbound({ allowPrivateNetworks: true });
  const connector = clnConnector({
    url: server.url,
    rune: server.rune,
    outbound,
    networks: acceptedNetworks(false),
    clock,
  });
  const request = { ref: 'one', amountMsat: 21_000n, description: 'Tea', expirySeconds: 900 };
  try {
    const first = await connector.createInvoice(request, never);
    expect(await connector.createInvoice(request, never)).toEqual(first);
  } finally {
    await outbound.close();
    await server.stop();
  }
});

test('LND: a server that answers with a page is told to be another one, not by its status of 200', async () => {
  const page = createServer((_request, response) => response.end('<html>Welcome</html>')).listen(0, '127.0.0.1');
  await once(page, 'listening');
  const clock = new ManualClock();
  const outbound = createOutbound({ allowPrivateNetworks: true });
  const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
  try {
    const connector = lndConnector({ url, macaroon: '00', outbound, clock, networks: acceptedNetworks(false) });
    await expect(connector.probe(never)).rejects.toMatchObject({
      kind: 'protocol',
      message: 'This server does not answer as LND does.',
    });
  } finally {
    await outbound.close();
    page.close();
  }
});
