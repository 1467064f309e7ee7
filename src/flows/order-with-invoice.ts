import type { Handle } from '../db/database.ts';
import { invalid } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { msatsForSats } from '../kernel/money.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import type { OrderRow } from '../model/order.ts';
import { scopeOf } from '../model/scope.ts';
import type { WalletRow } from '../model/wallet.ts';
import { listMerchantWallets } from '../store/wallets.ts';
import { chooseWallets } from '../wallets/choose.ts';
import type { IssuedByWallet } from '../wallets/runtime.ts';
import { invoiceLifeSeconds, issueInvoice } from './issue-invoice.ts';
import { writeNewOrder } from './new-order.ts';
import type { Parts } from './parts.ts';

/**
 * A new order together with its invoice, in the three steps of the wallet protocol (flows/README.md): everything that
 * must not change between tries is frozen before the wallet is asked, and nothing is written until it has answered.
 */
export interface FrozenOrder {
  order: OrderRow;
  invoiceId: string;
  walletIds: string[];
  /** What the payer's wallet shows. */
  description: string;
}

/** @throws {AppError} 422 for an order of 0 or an amount no wallet takes, 503 when none is operational. */
export async function freezeOrder(db: Handle, order: OrderRow, description: string): Promise<FrozenOrder> {
  if (order.total_amount_sats < 1) throw invalid('an order of 0 gets no invoice; ask for an amount above 0');
  const wallets = await listMerchantWallets(db, scopeOf(order));
  const pinned = order.wallet_pinned ? order.wallet_id! : undefined;
  const chosen = chooseWallets(wallets, order.total_amount_sats, pinned);
  return { order, invoiceId: newId(), walletIds: chosen.map((wallet) => wallet.id), description };
}

/** May be asked again with the same frozen order: the wallets know the invoice by the same reference in every try. */
export async function askForFrozen(
  parts: Parts,
  { order, invoiceId, walletIds, description }: FrozenOrder,
  signal: AbortSignal,
): Promise<IssuedByWallet> {
  const wallets = await listMerchantWallets(parts.db, scopeOf(order));
  const chosen = walletIds
    .map((id) => wallets.find((wallet) => wallet.id === id))
    .filter((wallet): wallet is WalletRow => wallet !== undefined);
  const request = {
    ref: invoiceId,
    amountMsat: msatsForSats(order.total_amount_sats),
    description,
    expirySeconds: invoiceLifeSeconds,
  };
  return parts.wallets.createInvoice(chosen, request, signal);
}

/** Writes order, invoice and their events. All statements travel together; the caller's commit decides. */
export async function writeFrozen(
  tx: Handle,
  parts: Parts,
  frozen: FrozenOrder,
  issued: IssuedByWallet,
  now: Date,
): Promise<{ order: OrderRow; invoice: InvoiceRow }> {
  // A process that goes on after a crash writes later than the order was frozen.
  const order = { ...thawed(frozen.order), wallet_id: issued.wallet.id, updated_at: now };
  const terms = {
    invoiceId: frozen.invoiceId,
    amountSats: order.total_amount_sats,
    quotedCents: order.total_amount_cents,
  };
  const [, invoice] = await Promise.all([
    writeNewOrder(tx, order),
    issueInvoice(tx, parts.sealer, order, terms, issued, now),
  ]);
  return { order, invoice };
}

// A frozen order travels through JSON when it is kept with a key; the moments in it come back as text.
function thawed(order: OrderRow): OrderRow {
  return {
    ...order,
    rate_quoted_at: order.rate_quoted_at && new Date(order.rate_quoted_at),
    created_at: new Date(order.created_at),
    updated_at: new Date(order.updated_at),
  };
}
