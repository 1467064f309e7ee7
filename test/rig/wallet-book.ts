/** What a wallet remembers of its invoices, whatever API it speaks. The money is the node's. */
import type { Received } from './incoming.ts';
import type { LightningNode } from './node.ts';
import type { WalletServer } from './wallet-server.ts';

/** The node behind a wallet: a LightningNode, or something that can do as little. */
export type ReceivingNode = Pick<LightningNode, 'createInvoice' | 'received' | 'now'>;

export interface BookedInvoice {
  readonly bolt11: string;
  readonly paymentHash: string;
  readonly amountMsat: bigint;
  readonly description: string;
  /** What the merchant's side called it, where the API takes such a thing. */
  readonly ref: string | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export class WalletBook {
  readonly #node: ReceivingNode;
  readonly #invoices = new Map<string, BookedInvoice>();

  constructor(node: ReceivingNode) {
    this.#node = node;
  }

  make(wanted: { amountMsat: bigint; description: string; expirySeconds: number; ref?: string }): BookedInvoice {
    const { amountMsat, description, expirySeconds, ref } = wanted;
    const { bolt11, paymentHash } = this.#node.createInvoice({ amountMsat, description, expirySeconds });
    const createdAt = this.#node.now();
    const expiresAt = new Date(createdAt.getTime() + expirySeconds * 1000);
    const invoice = { bolt11, paymentHash, amountMsat, description, ref, createdAt, expiresAt };
    this.#invoices.set(paymentHash, invoice);
    return invoice;
  }

  find(paymentHash: string): BookedInvoice | undefined {
    return this.#invoices.get(paymentHash);
  }

  findByRef(ref: string): BookedInvoice | undefined {
    return [...this.#invoices.values()].find((invoice) => invoice.ref === ref);
  }

  /** Every invoice paid so far, in the order in which that was noticed; an index into it is a cursor. */
  readonly paid: BookedInvoice[] = [];

  /** Calls `listener` for what is paid from now on, until `isOver`, as often and as late as the server's `pushes` say. */
  onPaid(
    listener: (invoice: BookedInvoice, index: number) => void,
    isOver: () => boolean,
    server: Pick<WalletServer, 'pushes'>,
  ): void {
    let seen = this.notePaid();
    const tell = (index: number) => {
      if (!isOver()) listener(this.paid[index]!, index + 1);
    };
    const timer = setInterval(() => {
      if (isOver()) return clearInterval(timer);
      for (const count = this.notePaid(); seen < count; seen++) {
        const index = seen;
        for (const delayMillis of server.pushes()) {
          if (delayMillis === 0) tell(index);
          else setTimeout(tell, delayMillis, index).unref();
        }
      }
    }, 10);
    timer.unref();
  }

  /** @returns how many were paid. */
  notePaid(): number {
    for (const invoice of this.#invoices.values()) {
      if (this.received(invoice) && !this.paid.includes(invoice)) this.paid.push(invoice);
    }
    return this.paid.length;
  }

  received(invoice: BookedInvoice): Received | undefined {
    return this.#node.received(invoice.paymentHash);
  }

  hasExpired(invoice: BookedInvoice): boolean {
    return invoice.expiresAt <= this.#node.now();
  }
}
