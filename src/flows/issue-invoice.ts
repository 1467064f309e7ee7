import { type Handle, violatedUnique } from '../db/database.ts';
import { recordEvents } from '../events/outbox.ts';
import { addSeconds, earlier } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import type { Sealer } from '../kernel/secrets.ts';
import { type InvoiceRow, toInvoice } from '../model/invoice.ts';
import type { OrderRow } from '../model/order.ts';
import { scopeOf } from '../model/scope.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import { insertInvoice } from '../store/invoices.ts';
import type { IssuedByWallet } from '../wallets/runtime.ts';

/** How long a payer has, unless the BOLT11 string ends earlier. */
export const invoiceLifeSeconds = 900;
/** How long after the BOLT11's own end a wallet may still settle it: HTLCs outlive invoices. */
const graceSeconds = 24 * 3600;
/** After that, once a day. */
const lookBackSeconds = 7 * 24 * 3600;

/** Nobody pays faster than that; a status call brings the look forward. */
const firstLookSeconds = 2;

interface InvoiceTerms {
  /** Chosen before the wallet was asked, so that every try makes the same invoice. */
  invoiceId: string;
  amountSats: number;
  /** What of the order's total this invoice is for. */
  quotedCents: number;
}

/**
 * Writes an invoice the wallet has made for an order that this transaction owns, with its event. The order's wallet is
 * the caller's to set.
 * @returns the invoice as committed.
 * @throws {AppError} `wallet_unavailable` when the wallet handed out a payment hash that is known already.
 */
export async function issueInvoice(
  tx: Handle,
  sealer: Sealer,
  order: OrderRow,
  terms: InvoiceTerms,
  { wallet, ref, created }: IssuedByWallet,
  now: Date,
): Promise<InvoiceRow> {
  const invoice: InvoiceRow = {
    id: terms.invoiceId,
    merchant_id: order.merchant_id,
    livemode: order.livemode,
    order_id: order.id,
    wallet_id: wallet.id,
    connection: wallet.connection,
    ref,
    amount_sats: terms.amountSats,
    quoted_cents: terms.quotedCents,
    btc_usd_price: order.btc_usd_price!,
    btc_fiat_price: order.btc_fiat_price!,
    bolt11: created.bolt11,
    payment_hash: created.paymentHash,
    handle: sealer.seal(JSON.stringify(created.handle), sealedPlace('invoices.handle', terms.invoiceId)),
    expires_at: earlier(addSeconds(now, invoiceLifeSeconds), created.expiresAt),
    bolt11_expires_at: created.expiresAt,
    paid_at: null,
    superseded_at: null,
    restated_at: null,
    expired_event_at: null,
    held_at: null,
    next_look_at: addSeconds(now, firstLookSeconds),
    watch_until: addSeconds(created.expiresAt, graceSeconds + lookBackSeconds),
    last_look_at: null,
    look_count: 0,
    viewed_at: null,
    metadata: {},
    created_at: now,
    updated_at: now,
    status: 'pending',
  };
  const scope = scopeOf(order);
  await Promise.all([
    insertInvoice(tx, invoice),
    recordEvents(tx, scope, [{ kind: 'invoice.created', subjectId: invoice.id, data: toInvoice(invoice, now) }], now),
  ]).catch((error) => {
    throw asUsedHash(error);
  });
  return invoice;
}

// A payment hash seen before would make one payment count twice, so that such an invoice is refused.
function asUsedHash(error: unknown): unknown {
  if (violatedUnique(error) !== 'invoices_payment_hash_key') return error;
  return new AppError('wallet_unavailable', 'The wallet handed out an invoice it had already used', { cause: error });
}
