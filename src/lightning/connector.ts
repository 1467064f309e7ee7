import type { ConnectionKind, SettlementVisibility } from '../model/connection.ts';

/**
 * The port that every wallet adapter implements. Adapters know nothing of orders: they make invoices, look them up
 * and return facts; flows decide what a fact means.
 */

/** What an adapter was asked to make. `ref` is ours, unique, and lets a wallet that supports it find the invoice again. */
export interface InvoiceRequest {
  readonly ref: string;
  /** Always whole sats: several providers refuse anything else. */
  readonly amountMsat: bigint;
  readonly description: string;
  /** A wish: the lifetime that counts is the one written into the BOLT11 string. */
  readonly expirySeconds: number;
}

/** An invoice as the wallet gave it, already through the acceptance check (lightning/acceptance.ts). */
export interface CreatedInvoice {
  /** Lower-case BOLT11 string without a `lightning:` prefix. */
  readonly bolt11: string;
  /** 64 lower-case hex characters. */
  readonly paymentHash: string;
  /** From the BOLT11 string: its timestamp plus its expiry. */
  readonly expiresAt: Date;
  /** What the adapter needs to look the invoice up later (a verify URL, an id at the wallet). JSON, sealed at rest. */
  readonly handle: InvoiceHandle;
}

export type InvoiceHandle = Readonly<Record<string, string | number | boolean>>;

export interface LookupRequest {
  readonly ref: string;
  readonly paymentHash: string;
  readonly bolt11: string;
  readonly handle: InvoiceHandle;
}

/** What the wallet says of an invoice now. `held`: money is on the way but not final (HTLC held, part paid). */
export type InvoiceFact =
  | { readonly state: 'pending' | 'held' | 'expired' | 'cancelled' | 'unknown' }
  | {
      readonly state: 'settled';
      /** What arrived; undefined when the wallet does not say. */
      readonly receivedMsat: bigint | undefined;
      /** Only when it hashes to the payment hash: the adapter drops anything else. */
      readonly preimage: string | undefined;
      readonly settledAt: Date | undefined;
    };

/** Facts about a wallet, gathered by a cheap call that cannot spend. */
export interface WalletProbe {
  readonly settlementVisibility: SettlementVisibility;
  readonly minSats: number;
  /** null: the wallet names no limit. */
  readonly maxSats: number | null;
  /** True when the stored credential could spend. */
  readonly canSpend: boolean;
  /** Plain remarks for the merchant, such as a missing description hash. */
  readonly notes: readonly string[];
}

/**
 * What a wallet tells by itself. It only says where to look: what counts is the look-up that follows, so that a hint may
 * come twice, late, in any order, or from nowhere.
 */
export type WalletHint =
  /** From now on nothing is missed. What came before is told again only when the stream was `resumed` from a cursor. */
  | { readonly kind: 'open'; readonly resumed: boolean }
  | {
      readonly kind: 'paid';
      /** undefined: some invoice of this wallet. */
      readonly paymentHash: string | undefined;
      /** Where to go on after a break; undefined where the wallet cannot. */
      readonly cursor?: string | undefined;
    };

export interface Connector {
  readonly kind: ConnectionKind;
  probe(signal: AbortSignal): Promise<WalletProbe>;
  createInvoice(request: InvoiceRequest, signal: AbortSignal): Promise<CreatedInvoice>;
  lookupInvoice(request: LookupRequest, signal: AbortSignal): Promise<InvoiceFact>;
  /**
   * Follows what the wallet tells, from where `cursor` of an earlier hint stands. Ends or throws when the connection
   * does; whoever follows comes back with the last cursor.
   */
  follow?(cursor: string | undefined, signal: AbortSignal): AsyncIterable<WalletHint>;
  /**
   * The host that a look-up of this invoice is sent to; its budget is kept. Left out where nobody else is asked; undefined
   * when the wallet named nobody to ask about this one.
   */
  lookupHost?(handle: InvoiceHandle): string | undefined;
  close?(): Promise<void>;
}

export type WalletFaultKind =
  | 'unreachable'
  | 'unauthorized'
  | 'rate_limited'
  | 'amount_out_of_range'
  | 'refused'
  | 'bad_invoice'
  | 'protocol';

/**
 * A wallet did not do what was asked. The message is plain text that a merchant may read: no HTML of a provider, no
 * credential, no internal address.
 */
export class WalletFault extends Error {
  readonly kind: WalletFaultKind;
  readonly retryAfterSeconds: number | undefined;

  constructor(kind: WalletFaultKind, message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'WalletFault';
    this.kind = kind;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
