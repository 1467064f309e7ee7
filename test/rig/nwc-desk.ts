/** What a wallet answers to the methods of NIP-47, whoever carries questions and answers. */
import type { BookedInvoice, WalletBook } from './wallet-book.ts';

interface NwcAnswer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: string; readonly message: string };
}

export class NwcDesk {
  readonly #book: WalletBook;

  constructor(book: WalletBook) {
    this.#book = book;
  }

  /** @param methods what the connection may use; undefined for one that the wallet does not know. */
  answer(methods: readonly string[] | undefined, method: string, params: Record<string, unknown>): NwcAnswer {
    if (!methods) return nwcError('UNAUTHORIZED');
    if (!methods.includes(method)) return nwcError('RESTRICTED');
    if (method === 'get_info') return { result: { alias: 'Rig', network: 'regtest', methods } };
    if (method === 'make_invoice') return { result: this.#make(params) };
    const invoice = this.#book.find(String(params.payment_hash));
    return invoice ? { result: this.shown(invoice) } : nwcError('NOT_FOUND');
  }

  #make({ amount, description, expiry }: Record<string, unknown>) {
    const amountMsat = BigInt(Number(amount));
    return this.shown(this.#book.make({ amountMsat, description: String(description), expirySeconds: Number(expiry) }));
  }

  /** The transaction of NIP-47. */
  shown(invoice: BookedInvoice) {
    const received = this.#book.received(invoice);
    const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
    return {
      type: 'incoming',
      state: received ? 'settled' : this.#book.hasExpired(invoice) ? 'expired' : 'pending',
      invoice: invoice.bolt11,
      description: invoice.description,
      payment_hash: invoice.paymentHash,
      amount: Number(received?.receivedMsat ?? invoice.amountMsat),
      preimage: received?.preimage ?? '',
      created_at: seconds(invoice.createdAt),
      expires_at: seconds(invoice.expiresAt),
      settled_at: received ? seconds(received.settledAt) : 0,
    };
  }
}

export function nwcError(code: string): NwcAnswer {
  return { error: { code, message: '<b>no</b>' } };
}
