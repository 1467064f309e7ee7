/** Payments that arrive at one node: taken at once, or held until a test decides. */
import * as ldk from 'lightningdevkit';
import { fromHex, toHex } from './ldk.ts';

/** Money that arrived for good. */
export interface Received {
  readonly paymentHash: string;
  /** Millisatoshi that arrived; above the invoiced amount when the payer overpaid. */
  readonly receivedMsat: bigint;
  /** 64 hex characters; its SHA-256 is the payment hash. */
  readonly preimage: string;
  readonly settledAt: Date;
}

/** Money that is locked on its way to us, neither taken nor sent back. */
export interface Held {
  readonly paymentHash: string;
  readonly amountMsat: bigint;
}

export class IncomingPayments {
  hold = false;

  readonly #manager: ldk.ChannelManager;
  readonly #now: () => Date;
  readonly #held = new Map<string, Held & { readonly preimage: Uint8Array }>();
  readonly #received = new Map<string, Received>();
  readonly #receivers = new Set<(received: Received) => void>();

  constructor(manager: ldk.ChannelManager, now: () => Date) {
    this.#manager = manager;
    this.#now = now;
  }

  get(paymentHash: string): Received | undefined {
    return this.#received.get(paymentHash);
  }

  onReceived(callback: (received: Received) => void): () => void {
    this.#receivers.add(callback);
    return () => {
      this.#receivers.delete(callback);
    };
  }

  held(): Held[] {
    return [...this.#held.values()].map(({ paymentHash, amountMsat }) => ({ paymentHash, amountMsat }));
  }

  release(paymentHash?: string): void {
    for (const { preimage } of this.#takeHeld(paymentHash)) this.#manager.claim_funds(preimage);
  }

  refuse(paymentHash?: string): void {
    for (const held of this.#takeHeld(paymentHash)) this.#sendBack(held.paymentHash);
  }

  arrived(event: ldk.Event_PaymentClaimable): void {
    const paymentHash = toHex(event.payment_hash);
    const preimage = event.purpose.preimage();
    // LDK forgets what it has claimed and would take a second payment of the same invoice. Other nodes refuse it,
    // and so does this one. (A second payment while the first is held LDK refuses by itself.)
    if (this.#received.has(paymentHash) || !(preimage instanceof ldk.Option_ThirtyTwoBytesZ_Some)) {
      this.#sendBack(paymentHash);
    } else if (this.hold) {
      this.#held.set(paymentHash, { paymentHash, amountMsat: event.amount_msat, preimage: preimage.some });
    } else {
      this.#manager.claim_funds(preimage.some);
    }
  }

  settled(event: ldk.Event_PaymentClaimed): void {
    const preimage = event.purpose.preimage();
    if (!(preimage instanceof ldk.Option_ThirtyTwoBytesZ_Some)) return;
    const received = {
      paymentHash: toHex(event.payment_hash),
      receivedMsat: event.amount_msat,
      preimage: toHex(preimage.some),
      settledAt: this.#now(),
    };
    this.#received.set(received.paymentHash, received);
    for (const callback of this.#receivers) callback(received);
  }

  #takeHeld(paymentHash: string | undefined) {
    const chosen = [...this.#held.values()].filter(
      (held) => paymentHash === undefined || held.paymentHash === paymentHash,
    );
    for (const held of chosen) this.#held.delete(held.paymentHash);
    return chosen;
  }

  #sendBack(paymentHash: string): void {
    this.#manager.fail_htlc_backwards(fromHex(paymentHash));
  }
}
