import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../../src/kernel/clock.ts';
import { createOutbound, type Outbound } from '../../src/kernel/outbound.ts';
import { acceptedNetworks } from '../../src/lightning/acceptance.ts';
import { blinkConnector } from '../../src/lightning/adapters/blink.ts';
import { btcpayConnector } from '../../src/lightning/adapters/btcpay.ts';
import { clnConnector } from '../../src/lightning/adapters/cln.ts';
import { lnbitsConnector } from '../../src/lightning/adapters/lnbits.ts';
import { lndConnector } from '../../src/lightning/adapters/lnd.ts';
import { nwcConnector } from '../../src/lightning/adapters/nwc.ts';
import { phoenixdConnector } from '../../src/lightning/adapters/phoenixd.ts';
import type { Connector, InvoiceFact } from '../../src/lightning/connector.ts';
import { NwcDesk } from '../rig/nwc-desk.ts';
import { startNwcServer } from '../rig/nwc-server.ts';
import { PaperNode } from '../support/paper-node.ts';

const signal = new AbortController().signal;
const clock = new ManualClock();
const preimage = '5a'.repeat(32);
const paymentHash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex');
const other = 'cd'.repeat(32);
const support = { networks: acceptedNetworks(false), clock, url: 'http://wallet.test' };

afterEach(() => vi.restoreAllMocks());

/** A wallet's server that answers every question with this. */
function answering(body: unknown): Outbound {
  const answer = { status: 200, headers: {}, body: Buffer.from(JSON.stringify(body)), address: '192.0.2.1' };
  return { request: async () => answer } as Partial<Outbound> as Outbound;
}

type Members = Record<string, unknown>;
interface Kind {
  open(outbound: Outbound): Connector;
  /** What the wallet shows of our invoice besides its word for the state. */
  shown: Members;
  /** Where in the answer an invoice stands. */
  wrap?(invoice: Members): unknown;
  unpaid: Members[];
  paid: Members;
  /** Neither: a word that the wallet does not have, or one of another type. */
  odd: Members[];
  /** Says which invoice the answer is about. */
  naming(hash: string): Members;
}

const kinds: Record<string, Kind> = {
  LND: {
    open: (outbound) => lndConnector({ ...support, outbound, macaroon: 'ab' }),
    shown: {
      r_hash: Buffer.from(paymentHash, 'hex').toString('base64'),
      r_preimage: Buffer.from(preimage, 'hex').toString('base64'),
      amt_paid_msat: '0',
      settle_date: '0',
    },
    unpaid: [{ state: 'OPEN' }, { state: 'OPEN', settled: true }, { state: 'OPEN', settle_date: '1793880000' }],
    paid: { state: 'SETTLED' },
    odd: [{}, { state: '' }, { state: 'settled' }, { state: null }, { state: 1 }, { settled: true }],
    naming: (hash) => ({ r_hash: Buffer.from(hash, 'hex').toString('base64') }),
  },
  'Core Lightning': {
    open: (outbound) => clnConnector({ ...support, outbound, rune: 'r' }),
    shown: { payment_hash: paymentHash, payment_preimage: preimage, paid_at: 0 },
    wrap: (invoice) => ({ invoices: [invoice] }),
    unpaid: [{ status: 'unpaid' }, { status: 'unpaid', pay_index: 0 }],
    paid: { status: 'paid' },
    odd: [{}, { status: 'PAID' }, { status: 'failed' }, { status: true }, { status: '__proto__' }],
    naming: (hash) => ({ payment_hash: hash }),
  },
  phoenixd: {
    open: (outbound) => phoenixdConnector({ ...support, outbound, password: 'p' }),
    shown: { paymentHash, preimage, completedAt: 0, receivedSat: 0 },
    unpaid: [{ isPaid: false }, { isPaid: 'true' }, { isPaid: 1 }, {}, { isPaid: null, receivedSat: 21 }],
    paid: { isPaid: true },
    odd: [],
    naming: (hash) => ({ paymentHash: hash }),
  },
  LNbits: {
    open: (outbound) => lnbitsConnector({ ...support, outbound, invoiceKey: 'k' }),
    shown: { preimage, details: { amount: 21_000, time: 0 } },
    unpaid: [{ paid: false }, { paid: false, status: 'success' }],
    paid: { paid: true },
    odd: [{}, { paid: 'true' }, { paid: 1 }, { paid: null }, { status: 'success' }],
    naming: (hash) => ({ details: { payment_hash: hash } }),
  },
  'BTCPay Server': {
    open: (outbound) => btcpayConnector({ ...support, outbound, storeId: 's', apiKey: 'k' }),
    shown: { paymentHash, preimage, paidAt: 0, amountReceived: '0' },
    unpaid: [{ status: 'Unpaid' }, { status: 'Unpaid', paidAt: '' }, { status: 'Unpaid', amountReceived: '21000' }],
    paid: { status: 'Paid' },
    odd: [{}, { status: 'paid' }, { status: 'Complete' }, { status: null }],
    naming: (hash) => ({ paymentHash: hash }),
  },
  Blink: {
    open: (outbound) => blinkConnector({ ...support, outbound, apiKey: 'k' }),
    shown: { paymentHash, paymentPreimage: preimage },
    wrap: (invoice) => ({ data: { lnInvoicePaymentStatusByHash: invoice } }),
    unpaid: [{ status: 'PENDING' }],
    paid: { status: 'PAID' },
    odd: [{}, { status: 'paid' }, { status: 'SUCCESS' }, { status: 0 }],
    naming: (hash) => ({ paymentHash: hash }),
  },
};

describe.each(Object.entries(kinds))('%s', (_, { open, shown, wrap = (invoice) => invoice, ...said }) => {
  const request = { ref: 'r', paymentHash, bolt11: '', handle: { id: 'i' } };
  const look = (members: Members) =>
    open(answering(wrap({ ...shown, ...members })))
      .lookupInvoice(request, signal)
      .catch((fault: { kind: string }) => fault.kind);

  test('a preimage, a time or an amount beside the word for unpaid is no payment (case C020)', async () => {
    for (const members of said.unpaid) expect([members, await look(members)]).toEqual([members, { state: 'pending' }]);
  });

  test('words that it does not have are a fault, never a state (case C023)', async () => {
    for (const members of said.odd) expect([members, await look(members)]).toEqual([members, 'protocol']);
  });

  test('nor is what it says of another invoice', async () => {
    expect(await look({ ...said.paid, ...said.naming(other) })).toBe('protocol');
  });

  test('its own invoice is that in capitals too', async () => {
    const fact = await look({ ...said.paid, ...said.naming(paymentHash.toUpperCase()) });
    expect(fact).toMatchObject({ state: 'settled', preimage });
  });

  test('its own word is; a time of 0 is none, nor is one beyond all dates, nor an amount beyond all bitcoin one', async () => {
    expect(await look(said.paid)).toMatchObject({ state: 'settled', preimage, settledAt: undefined });
    const most = '9999999999999999999';
    const absurd = { amt_paid_msat: most, amount_received_msat: `${most}msat`, amountReceived: most };
    const times = { settle_date: most, paid_at: 1e18, paidAt: 1e18, completedAt: 1e18 };
    const fact = await look({ ...said.paid, ...absurd, ...times, details: { amount: most } });
    expect(fact).toMatchObject({ state: 'settled', receivedMsat: undefined, settledAt: undefined });
  });
});

test('a byte order mark before the answer is no fault', async () => {
  const { open, shown, paid } = kinds.LND!;
  const answer = { status: 200, headers: {}, address: '192.0.2.1' };
  const body = Buffer.from(`\ufeff${JSON.stringify({ ...shown, ...paid })}`);
  const outbound = { request: async () => ({ ...answer, body }) } as Partial<Outbound> as Outbound;
  const request = { ref: 'r', paymentHash, bolt11: '', handle: {} };
  expect(await open(outbound).lookupInvoice(request, signal)).toMatchObject({ state: 'settled', preimage });
});

describe('Blink', () => {
  const look = (answer: unknown) =>
    kinds
      .Blink!.open(answering(answer))
      .lookupInvoice({ ref: 'r', paymentHash, bolt11: '', handle: {} }, signal)
      .catch((fault: { kind: string }) => fault.kind);
  const errors = [{ message: 'Something went wrong' }];

  test('an error in one part of the answer takes nothing from the rest', async () => {
    const paid = { status: 'PAID', paymentHash, paymentPreimage: null };
    expect(await look({ data: { lnInvoicePaymentStatusByHash: paid }, errors })).toMatchObject({ state: 'settled' });
  });

  test('an error in place of an answer is a fault, unless it says that there is no such invoice', async () => {
    for (const data of [null, undefined, {}, { lnInvoicePaymentStatusByHash: null }]) {
      expect(await look({ data, errors })).toBe('refused');
      expect(await look({ data, errors: [{ message: 'Not authorized' }] })).toBe('unauthorized');
      expect(await look({ data, errors: [{ message: 'The invoice does not exist' }] })).toEqual({ state: 'unknown' });
    }
  });
});

describe('Nostr Wallet Connect', () => {
  /** Makes an invoice that nobody pays; `look` looks it up at a wallet that says this of it. */
  async function withWallet(
    work: (look: (said: Members) => Promise<InvoiceFact>, hash: string, node: PaperNode) => Promise<void>,
  ) {
    const node = new PaperNode(clock);
    const server = await startNwcServer(node);
    const outbound = createOutbound({ allowPrivateNetworks: true });
    const { walletPubkey, secret } = server;
    const relays = server.relays.map(({ address }) => address);
    const connector = nwcConnector({ ...support, outbound, relays, walletPubkey, secret });
    try {
      const wanted = { ref: 'r', amountMsat: 21_000n, description: '', expirySeconds: 900 };
      const request = { ...(await connector.createInvoice(wanted, signal)), ref: 'r' };
      const honest = NwcDesk.prototype.shown;
      const look = (members: Members) => {
        vi.spyOn(NwcDesk.prototype, 'shown').mockImplementation(function (this: NwcDesk, invoice) {
          const shown = { ...honest.call(this, invoice), state: undefined, ...members };
          return shown as unknown as ReturnType<typeof honest>;
        });
        return connector.lookupInvoice(request, signal);
      };
      await work(look, request.paymentHash, node);
    } finally {
      await connector.close?.();
      await outbound.close();
      await server.stop();
    }
  }

  test('a wallet that names no state has settled what has a time above 0 (case C020)', () =>
    withWallet(async (look, paymentHash) => {
      for (const members of [
        { settled_at: 0 },
        { settled_at: '' },
        { settled_at: null },
        { settled_at: '1793880000' },
        { settled_at: 1, state: 'pending' },
        { settled_at: 1, state: 'failed' },
        { preimage: 'ab'.repeat(32) },
      ]) {
        expect([members, await look(members)]).toEqual([members, { state: 'pending' }]);
      }
      for (const payment_hash of [paymentHash, paymentHash.toUpperCase(), undefined]) {
        expect(await look({ settled_at: 1, payment_hash })).toMatchObject({ state: 'settled' });
      }
    }));

  test('states are words in either case; one that was accepted is held', () =>
    withWallet(async (look) => {
      expect(await look({ state: 'SETTLED', settled_at: 1 })).toMatchObject({ state: 'settled' });
      expect(await look({ state: 'PENDING', settled_at: 1 })).toEqual({ state: 'pending' });
      expect(await look({ state: 'accepted' })).toEqual({ state: 'held' });
    }));

  test('what the wallet paid itself is no receipt, unless its preimage proves our invoice paid', () =>
    withWallet(async (look, paymentHash, node) => {
      const sent = { type: 'outgoing', state: 'settled', settled_at: 1 };
      for (const members of [sent, { ...sent, preimage }]) expect(await look(members)).toEqual({ state: 'unknown' });
      node.pay(paymentHash);
      expect(await look(sent)).toMatchObject({ state: 'settled', preimage: expect.any(String) });
    }));
});
