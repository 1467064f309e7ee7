import { createHash, randomBytes } from 'node:crypto';
import { addSeconds, type Clock } from '../../src/kernel/clock.ts';
import { encodeBolt11 } from '../../src/lightning/bolt11-encode.ts';
import type { Received } from '../rig/incoming.ts';
import type { ReceivingNode } from '../rig/wallet-book.ts';

const key = createHash('sha256').update('node key of the paper node').digest();

/** A node that exists on paper: signs real regtest invoices, and is paid by saying so. For tests that move the clock. */
export class PaperNode implements ReceivingNode {
  readonly #clock: Clock;
  readonly #made = new Map<string, { preimage: string; amountMsat: bigint }>();
  readonly #received = new Map<string, Received>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): Date {
    return this.#clock.now();
  }

  createInvoice: ReceivingNode['createInvoice'] = ({ amountMsat, description = '', expirySeconds = 3600 }) => {
    const preimage = randomBytes(32);
    const paymentHash = createHash('sha256').update(preimage).digest('hex');
    const timestamp = addSeconds(new Date(0), Math.floor(this.now().getTime() / 1000));
    const paymentSecret = randomBytes(32).toString('hex');
    const bolt11 = encodeBolt11(
      {
        network: 'regtest',
        amountMsat,
        timestamp,
        expirySeconds,
        paymentHash,
        paymentSecret,
        describedBy: { description },
      },
      key,
    );
    this.#made.set(paymentHash, { preimage: preimage.toString('hex'), amountMsat: amountMsat ?? 0n });
    return { bolt11, paymentHash };
  };

  received = (paymentHash: string): Received | undefined => this.#received.get(paymentHash);

  /** @param preimage false: what the wallet shows as preimage proves nothing. */
  pay(paymentHash: string, { preimage = true }: { preimage?: boolean } = {}): void {
    const made = this.#made.get(paymentHash)!;
    this.#received.set(paymentHash, {
      paymentHash,
      receivedMsat: made.amountMsat,
      preimage: preimage ? made.preimage : '0'.repeat(64),
      settledAt: this.now(),
    });
  }
}
