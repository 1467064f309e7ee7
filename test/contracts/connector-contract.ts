import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ManualClock } from '../../src/kernel/clock.ts';
import { decodeBolt11 } from '../../src/lightning/bolt11.ts';
import type { Network } from '../../src/lightning/bolt11-format.ts';
import {
  type Connector,
  type CreatedInvoice,
  type InvoiceFact,
  type LookupRequest,
  WalletFault,
} from '../../src/lightning/connector.ts';

/** A connector together with the means to play the world around it: time, payers, a wallet that breaks. */
interface ConnectorHarness {
  readonly connector: Connector;
  /** Drives the connector and, where it has one, the wallet behind it. */
  readonly clock: ManualClock;
  readonly networks: readonly Network[];
  /** The wallet receives the money for this invoice now; with `preimage: false` it only says so. */
  pay(paymentHash: string, how: { preimage: boolean }): void | Promise<void>;
  /** From now on the wallet works, fails every call, or never answers. */
  setWallet(state: 'working' | 'failing' | 'hanging'): void;
  close(): Promise<void>;
}

const never = new AbortController().signal;

/** The behaviour that every wallet adapter owes to the flows above it. */
export function describeConnector(name: string, makeHarness: () => Promise<ConnectorHarness>): void {
  describe(`connector contract: ${name}`, () => {
    let harness: ConnectorHarness;
    let refs = 0;

    beforeEach(async () => {
      harness = await makeHarness();
    });

    afterEach(async () => {
      await harness.close();
    });

    async function create(amountSats = 21, description = 'Order ORD-000001'): Promise<LookupRequest & CreatedInvoice> {
      const ref = `ref-${++refs}`;
      const request = { ref, amountMsat: BigInt(amountSats) * 1000n, description, expirySeconds: 900 };
      const created = await harness.connector.createInvoice(request, never);
      // What is looked up comes back from the database: through JSON.
      return { ...created, ref, handle: JSON.parse(JSON.stringify(created.handle)) };
    }

    const lookUp = (request: LookupRequest): Promise<InvoiceFact> => harness.connector.lookupInvoice(request, never);

    async function fault(promise: Promise<unknown>): Promise<WalletFault> {
      const error = await promise.then(
        () => undefined,
        (reason) => reason,
      );
      expect(error).toBeInstanceOf(WalletFault);
      expect(error.message).toMatch(/^[^<>{}]+\.$/);
      return error;
    }

    test('reports limits, visibility and that it cannot spend', async () => {
      const probe = await harness.connector.probe(never);
      expect(probe).toMatchObject({ settlementVisibility: 'proof', canSpend: false });
      expect(probe.minSats).toBeGreaterThanOrEqual(1);
      if (probe.maxSats !== null) expect(probe.maxSats).toBeGreaterThanOrEqual(probe.minSats);
      for (const note of probe.notes) expect(note).toMatch(/^[^<>]+\.$/);
    });

    test('makes invoices for exactly the amount, on an accepted network', async () => {
      for (const amountSats of [1, 21, 999_999]) {
        const invoice = await create(amountSats);
        const decoded = decodeBolt11(invoice.bolt11);
        expect(decoded.amountMsat).toBe(BigInt(amountSats) * 1000n);
        expect(harness.networks).toContain(decoded.network);
        expect(invoice).toMatchObject({
          bolt11: decoded.bolt11,
          paymentHash: decoded.paymentHash,
          expiresAt: decoded.expiresAt,
        });
      }
    });

    test('makes a new payment hash for each reference', async () => {
      const invoices = await Promise.all(Array.from({ length: 20 }, () => create()));
      expect(new Set(invoices.map((invoice) => invoice.paymentHash)).size).toBe(20);
    });

    test('copes with any description (case C006)', async () => {
      for (const description of ['', 'Ωμέγα ☂ 数', 'Café №5', '🥨'.repeat(400), 'a&b=c?d#e "f"', '\ud800']) {
        const { description: written } = decodeBolt11((await create(1, description)).bolt11);
        if (written !== undefined && description.length < 100) expect([description, '\ufffd']).toContain(written);
      }
    });

    test('refuses an amount that is no whole number of sats', async () => {
      const request = { ref: 'odd', amountMsat: 1500n, description: '', expirySeconds: 900 };
      expect((await fault(harness.connector.createInvoice(request, never))).kind).toBe('amount_out_of_range');
    });

    test('says pending until paid, then settled with a preimage that proves it, for good', async () => {
      const invoice = await create();
      for (let i = 0; i < 10; i++) expect(await lookUp(invoice)).toEqual({ state: 'pending' });
      await harness.pay(invoice.paymentHash, { preimage: true });
      for (let i = 0; i < 3; i++) {
        const fact = await lookUp(invoice);
        expect(fact.state).toBe('settled');
        if (fact.state !== 'settled') return;
        const proof = createHash('sha256').update(Buffer.from(fact.preimage!, 'hex')).digest('hex');
        expect(proof).toBe(invoice.paymentHash);
        if (fact.receivedMsat !== undefined) expect(fact.receivedMsat).toBe(21_000n);
      }
    });

    test('says settled without a preimage when the wallet gives none (case C018)', async () => {
      const invoice = await create();
      await harness.pay(invoice.paymentHash, { preimage: false });
      expect(await lookUp(invoice)).toMatchObject({ state: 'settled', preimage: undefined });
    });

    test('keeps invoices apart', async () => {
      const [paid, unpaid] = [await create(), await create()];
      await harness.pay(paid.paymentHash, { preimage: true });
      expect(await lookUp(unpaid)).toEqual({ state: 'pending' });
      expect(await lookUp(paid)).toMatchObject({ state: 'settled' });
    });

    test('says expired after the end of an unpaid invoice, and settled when money comes late (case C024)', async () => {
      const invoice = await create();
      harness.clock.set(new Date(invoice.expiresAt.getTime() + 1000));
      expect(await lookUp(invoice)).toEqual({ state: 'expired' });
      await harness.pay(invoice.paymentHash, { preimage: true });
      expect(await lookUp(invoice)).toMatchObject({ state: 'settled' });
    });

    test('fails in a way that can be shown, and works again afterwards', async () => {
      const invoice = await create();
      harness.setWallet('failing');
      await fault(harness.connector.probe(never));
      await fault(create());
      await fault(lookUp(invoice));
      harness.setWallet('working');
      expect(await lookUp(invoice)).toEqual({ state: 'pending' });
      await create();
    });

    test('obeys the caller when the wallet hangs', async () => {
      const invoice = await create();
      harness.setWallet('hanging');
      const startedAt = Date.now();
      const signal = AbortSignal.timeout(50);
      const request = { ref: 'hanging', amountMsat: 1000n, description: '', expirySeconds: 900 };
      const faults = await Promise.all([
        fault(harness.connector.createInvoice(request, signal)),
        fault(harness.connector.lookupInvoice(invoice, signal)),
        fault(harness.connector.probe(signal)),
      ]);
      expect(Date.now() - startedAt).toBeLessThan(2000);
      expect(faults.map((each) => each.kind)).toEqual(['unreachable', 'unreachable', 'unreachable']);
    });
  });
}
