import { setTimeout as sleep } from 'node:timers/promises';
import type { Handle } from '../db/database.ts';
import { addSeconds, later } from '../kernel/clock.ts';
import type { Scope } from '../kernel/context.ts';
import { AppError, asAppError, type ErrorCode, invalid, notFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { msatsForSats } from '../kernel/money.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import type { OrderRow } from '../model/order.ts';
import type { WalletRow } from '../model/wallet.ts';
import {
  findAskingRequest,
  findInvoiceRequest,
  finishInvoiceRequest,
  type InvoiceRequestRow,
  insertInvoiceRequest,
} from '../store/invoice-requests.ts';
import { findInvoiceForJob, findOpenInvoice, isHeld, sumQuotedPaid, supersedeOpenInvoice } from '../store/invoices.ts';
import { findMerchant } from '../store/merchants.ts';
import { lockOrder, setOrderWallet, updateOrder } from '../store/orders.ts';
import { listMerchantWallets } from '../store/wallets.ts';
import { chooseWallets } from '../wallets/choose.ts';
import { invoiceLifeSeconds, issueInvoice } from './issue-invoice.ts';
import type { Parts } from './parts.ts';
import { quoteBitcoin, quotedMembers, quoteLifeSeconds, satsAt } from './quote-bitcoin.ts';

/** An open invoice with less time left than this is not handed out again: the payer could not finish. */
const usableSeconds = 60;
/** Longer than the wallets' whole budget (8 s). */
const leaseSeconds = 20;
/** How long a parallel call waits for the one that is asking the wallet. */
export const waitMillis = 7000;
const waitPollMillis = 150;

interface AskingRequest {
  requestId: string;
  order: OrderRow;
  wallets: WalletRow[];
  amountSats: number;
  quotedCents: number;
}

type Reserved = { invoice: InvoiceRow } | { wait: string } | { ask: AskingRequest };

/**
 * The order's usable invoice, or a new one. However many calls arrive together, in however many processes, the wallet is
 * asked once and all get the same invoice (flows/README.md, "Open invoice").
 * @throws {AppError} 404, 409 for an order that takes no payment, 422 when no wallet fits, 503 when none answers.
 */
export async function openInvoice(
  parts: Parts,
  scope: Scope,
  orderId: string,
  signal: AbortSignal,
): Promise<InvoiceRow> {
  const deadline = performance.now() + waitMillis;
  for (;;) {
    const reserved = await parts.db.transaction((tx) => reserve(tx, parts, scope, orderId));
    if ('invoice' in reserved) return reserved.invoice;
    if ('ask' in reserved) return askAndIssue(parts, scope, reserved.ask, signal);
    const issued = await waitFor(parts, reserved.wait, deadline);
    if (issued) return issued;
  }
}

async function reserve(tx: Handle, parts: Parts, scope: Scope, orderId: string): Promise<Reserved> {
  const now = parts.clock.now();
  let order = await lockOrder(tx, scope, orderId);
  if (!order) throw notFound('Order');
  const open = await findOpenInvoice(tx, orderId, now);
  if (open && open.expires_at.getTime() - now.getTime() >= usableSeconds * 1000) return { invoice: open };
  if (order.status !== 'pending') {
    throw new AppError('conflict', `The order is ${order.status} and takes no payment any more`);
  }
  if (order.tender_type === 'cash')
    throw new AppError('conflict', 'The order is paid in cash; change its tender first');
  if (open?.held_at || (await isHeld(tx, orderId))) {
    throw new AppError('conflict', 'A payment for this order is on its way; wait for it to settle or fail');
  }
  const asking = await findAskingRequest(tx, orderId);
  if (asking?.leased) return { wait: asking.id };
  if (asking) await finishInvoiceRequest(tx, asking.id, 'abandoned');

  const [merchant, wallets, paidCents] = await Promise.all([
    findMerchant(tx, scope.merchantId),
    listMerchantWallets(tx, scope),
    sumQuotedPaid(tx, orderId),
  ]);
  const feePercent = merchant!.conversion_fee_percent;
  order = await withFreshQuote(tx, parts, order, feePercent, now);
  const quotedCents = order.total_amount_cents - paidCents;
  const amountSats =
    paidCents === 0
      ? order.total_amount_sats
      : satsAt(order.btc_fiat_price!, {
          amountCents: Math.max(0, quotedCents),
          currency: order.currency,
          feePercent: order.conversion_fee_percent ?? feePercent,
        });
  if (amountSats < 1) throw invalid('the order has nothing left to pay, so it gets no invoice');
  const candidates = chooseWallets(wallets, amountSats, order.wallet_pinned ? order.wallet_id! : undefined);
  const requestId = newId();
  await insertInvoiceRequest(
    tx,
    { id: requestId, orderId, orderVersion: order.version, amountSats },
    leaseSeconds,
    now,
  );
  return { ask: { requestId, order, wallets: candidates, amountSats, quotedCents } };
}

/** Renews the order's sats and prices together once they are old, so that order, invoice and page always agree. */
async function withFreshQuote(
  tx: Handle,
  parts: Parts,
  order: OrderRow,
  feePercent: string,
  now: Date,
): Promise<OrderRow> {
  const usableUntil = order.rate_quoted_at && addSeconds(order.rate_quoted_at, quoteLifeSeconds);
  if (usableUntil && order.btc_fiat_price !== null && now < usableUntil) return order;
  const quote = quoteBitcoin(parts.rates, {
    amountCents: order.total_amount_cents,
    currency: order.currency,
    livemode: order.livemode,
    feePercent,
  });
  const change = { ...quotedMembers(quote, now), updated_at: later(now, order.updated_at) };
  await updateOrder(tx, order.id, change);
  return { ...order, ...change };
}

async function askAndIssue(
  parts: Parts,
  scope: Scope,
  request: AskingRequest,
  signal: AbortSignal,
): Promise<InvoiceRow> {
  const { requestId, order, wallets, amountSats, quotedCents } = request;
  try {
    const issued = await parts.wallets.createInvoice(
      wallets,
      {
        ref: requestId,
        amountMsat: msatsForSats(amountSats),
        description: `Order ${order.order_number}`,
        expirySeconds: invoiceLifeSeconds,
      },
      signal,
    );
    return await parts.db.transaction(async (tx) => {
      const locked = await lockOrder(tx, scope, order.id);
      if (!(await finishInvoiceRequest(tx, requestId, 'issued'))) throw changedMeanwhile();
      if (locked?.status !== 'pending' || locked.version !== order.version) throw changedMeanwhile();
      const now = parts.clock.now();
      await supersedeOpenInvoice(tx, order.id, now);
      const terms = { invoiceId: requestId, amountSats, quotedCents };
      const [, invoice] = await Promise.all([
        setOrderWallet(tx, order.id, issued.wallet.id, now),
        issueInvoice(tx, parts.sealer, locked, terms, issued, now),
      ]);
      return invoice;
    });
  } catch (error) {
    const failure = asAppError(error);
    await finishInvoiceRequest(parts.db, requestId, failure.code === 'conflict' ? 'abandoned' : 'failed', {
      code: failure.code,
      message: failure.message,
      ...(failure.details ? { details: [...failure.details] } : {}),
      ...(failure.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: failure.retryAfterSeconds }),
    }).catch((cause) => parts.log.warn({ err: cause }, 'an invoice request stays open until its lease ends'));
    throw failure;
  } finally {
    parts.db.wake('request_settled', requestId);
  }
}

function changedMeanwhile(): AppError {
  return new AppError('conflict', 'The order changed while its invoice was being made; ask again');
}

/**
 * Waits for another call's request to end. @returns the invoice it led to, undefined when the caller should look again.
 * @throws what it failed with.
 */
async function waitFor(parts: Parts, requestId: string, deadline: number): Promise<InvoiceRow | undefined> {
  const ended = new AbortController();
  const stop = parts.db.onWake('request_settled', (subject) => {
    if (subject === requestId) ended.abort();
  });
  try {
    while (performance.now() < deadline) {
      const request = await findInvoiceRequest(parts.db, requestId);
      if (!request || request.state === 'abandoned') return undefined;
      if (request.state === 'issued') return sharedInvoice(parts, requestId);
      if (request.state === 'failed') throw sharedError(request);
      if (!request.leased) return undefined;
      // The signal can be lost; the poll cannot.
      await sleep(waitPollMillis, undefined, { signal: ended.signal }).catch(() => {});
    }
  } finally {
    stop();
  }
  throw new AppError('wallet_unavailable', 'The invoice is still being made; ask again shortly', {
    retryAfterSeconds: 2,
  });
}

/**
 * The invoice that was made while we waited, as it is: one with little time left would not be handed out again, and
 * each of those who wait would ask the wallet anew.
 */
async function sharedInvoice(parts: Parts, requestId: string): Promise<InvoiceRow | undefined> {
  const invoice = await findInvoiceForJob(parts.db, requestId, parts.clock.now());
  return invoice?.status === 'pending' ? invoice : undefined;
}

function sharedError({ error }: InvoiceRequestRow): AppError {
  if (!error) return new AppError('wallet_unavailable', 'No wallet could make the invoice', { retryAfterSeconds: 5 });
  return new AppError(error.code as ErrorCode, error.message, {
    ...(error.details ? { details: error.details } : {}),
    ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
  });
}
