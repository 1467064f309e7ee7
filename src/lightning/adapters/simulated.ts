import { createHash, createHmac, hkdfSync } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { addSeconds, type Clock } from '../../kernel/clock.ts';
import type { SimulatorSettings } from '../../model/connection.ts';
import { encodeBolt11 } from '../bolt11-encode.ts';
import { type Connector, type InvoiceFact, type InvoiceHandle, WalletFault } from '../connector.ts';
import { fittingDescription, requireWholeSats } from '../invoice-reading.ts';
import { publicKeyOf } from '../secp256k1.ts';

/** What the simulated wallet was told about one of its invoices, kept by someone with a database. */
export interface SimulatedPayment {
  /** Moment from which the invoice counts as paid; null when nobody is paying. */
  readonly settlesAt: Date | null;
  /** null: exactly the invoiced amount. */
  readonly receivedMsat: bigint | null;
  /** False simulates a wallet that only gives its word. */
  readonly withPreimage: boolean;
  /** The money is on its way and stays there until `settlesAt`. */
  readonly held: boolean;
}

export interface SimulatorBook {
  find(paymentHash: string): Promise<SimulatedPayment | undefined>;
}

interface SimulatedOptions {
  /** At least 16 bytes; everything the wallet makes follows from it. */
  readonly secret: Buffer;
  readonly settings: SimulatorSettings;
  readonly book: SimulatorBook;
  readonly clock: Clock;
}

/**
 * The test-mode wallet: a node that exists only as a key. Its invoices are regtest ones (`lnbcrt`), validly signed, so
 * that every decoder reads them and no wallet pays them. Keys and preimages follow from the secret and the reference:
 * making an invoice writes nothing, and asking twice with one reference gives the same payment hash.
 */
export function simulatedConnector({ secret, settings, book, clock }: SimulatedOptions): Connector {
  const nodeKey = deriveNodeKey(secret);

  async function behave(signal: AbortSignal): Promise<void> {
    if (settings.delayMs) {
      await delay(settings.delayMs, undefined, { signal }).catch(() => {
        throw new WalletFault('unreachable', 'The simulated wallet did not answer in time.');
      });
    }
    if (settings.fail) throw new WalletFault('unreachable', 'The simulated wallet is set to fail.');
  }

  return {
    kind: 'simulated',

    async probe(signal) {
      await behave(signal);
      return { settlementVisibility: 'proof', minSats: 1, maxSats: null, canSpend: false, notes: [] };
    },

    async createInvoice(request, signal) {
      await behave(signal);
      const { ref, amountMsat, expirySeconds } = request;
      const amountSats = requireWholeSats(request);
      const timestamp = new Date(Math.floor(clock.now().getTime() / 1000) * 1000);
      const paymentHash = hashOf(simulatedPreimage(secret, ref));
      const fields = {
        network: 'regtest',
        amountMsat,
        timestamp,
        expirySeconds,
        paymentHash,
        paymentSecret: derive(secret, `payment-secret:${ref}`).toString('hex'),
        describedBy: { description: fittingDescription(request) },
      } as const;
      return {
        bolt11: encodeBolt11(fields, nodeKey),
        paymentHash,
        expiresAt: addSeconds(timestamp, expirySeconds),
        handle: { madeAt: timestamp.getTime(), expirySeconds, amountSats },
      };
    },

    async lookupInvoice(request, signal) {
      await behave(signal);
      const preimage = simulatedPreimage(secret, request.ref);
      if (hashOf(preimage) !== request.paymentHash) return { state: 'unknown' };
      return tell(readHandle(request.handle), preimage, await book.find(request.paymentHash));
    },
  };

  /** Told payments come first, then the wallet's own habits, then the clock. */
  function tell(invoice: Invoice, preimage: Buffer, told: SimulatedPayment | undefined): InvoiceFact {
    const now = clock.now();
    const { payAfterSeconds } = settings;
    const selfPaidAt = payAfterSeconds === undefined ? undefined : addSeconds(invoice.madeAt, payAfterSeconds);
    const settledAt = [told?.settlesAt, selfPaidAt].find((moment) => moment && moment <= now);
    if (settledAt) {
      return {
        state: 'settled',
        receivedMsat: told?.receivedMsat ?? invoice.amountMsat,
        preimage: told?.withPreimage === false ? undefined : preimage.toString('hex'),
        settledAt,
      };
    }
    if (told?.held || settings.hold) return { state: 'held' };
    return { state: now < invoice.expiresAt ? 'pending' : 'expired' };
  }
}

interface Invoice {
  readonly madeAt: Date;
  readonly expiresAt: Date;
  readonly amountMsat: bigint;
}

/** The handle holds what a lookup needs, because reading the BOLT11 string would cost a key recovery each time. */
function readHandle({ madeAt, expirySeconds, amountSats }: InvoiceHandle): Invoice {
  if (typeof madeAt !== 'number' || typeof expirySeconds !== 'number' || typeof amountSats !== 'number') {
    throw new WalletFault('protocol', 'The invoice was not made by the simulated wallet.');
  }
  const made = new Date(madeAt);
  return { madeAt: made, expiresAt: addSeconds(made, expirySeconds), amountMsat: BigInt(amountSats) * 1000n };
}

/** The preimage of the invoice that the wallet made for a reference. Lookups give it out; flows should ask those. */
export function simulatedPreimage(secret: Buffer, ref: string): Buffer {
  return derive(secret, `preimage:${ref}`);
}

function derive(secret: Buffer, label: string): Buffer {
  return createHmac('sha256', secret).update(label, 'utf8').digest();
}

function hashOf(preimage: Buffer): string {
  return createHash('sha256').update(preimage).digest('hex');
}

function deriveNodeKey(secret: Buffer): Buffer {
  if (secret.length < 16) throw new RangeError('The secret of a simulated wallet needs at least 16 bytes.');
  for (let attempt = 0; ; attempt++) {
    const key = Buffer.from(hkdfSync('sha256', secret, '', `satline simulated node ${attempt}`, 32));
    // Only 1 in 2^127 candidates is no valid key, yet the loop costs nothing.
    if (publicKeyOf(key)) return key;
  }
}
