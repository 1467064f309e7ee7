import { AppError, invalid, notFound } from '../kernel/errors.ts';
import { provesHash } from '../lightning/preimage.ts';
import { silentKinds } from '../model/connection.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import type { PaymentRow } from '../model/payment.ts';
import { asksForPreimage } from '../model/wallet.ts';
import { findCheckoutSessionByToken } from '../store/checkout-sessions.ts';
import { listInvoicesOfOrder } from '../store/invoices.ts';
import { findWalletForJob } from '../store/wallets.ts';
import { acceptPreimage } from './accept-preimage.ts';
import type { Parts } from './parts.ts';

/** What a payer pastes, blanks and all: 64 hex characters. */
const preimageShape = /^\s*[0-9a-f]{64}\s*$/i;

/**
 * The payer of a checkout shows the preimage of any invoice that the checkout ever had, in time or late.
 * @throws {AppError} `not_found`; `conflict` where the wallet tells by itself; `validation_error` for one that proves
 *   nothing; `rate_limited` after too many of those.
 */
export async function proveCheckoutPayment(parts: Parts, token: string, preimage: unknown): Promise<PaymentRow> {
  const session = await findCheckoutSessionByToken(parts.db, token);
  if (!session) throw notFound('Checkout session');
  const now = parts.clock.now();
  const invoices = session.order_id ? await listInvoicesOfOrder(parts.db, session.order_id, now) : [];
  const newest = invoices.at(-1);
  if (!newest || !(await isPreimageAskedFor(parts, newest))) {
    throw new AppError('conflict', 'Payments of this checkout are seen by themselves; no preimage is needed');
  }
  if (typeof preimage !== 'string' || !preimageShape.test(preimage)) {
    throw invalid('preimage must be 64 hex characters: 0 to 9 and a to f');
  }
  const waitSeconds = await parts.preimageTries.take(session.id, now);
  if (waitSeconds > 0) {
    throw new AppError('rate_limited', 'Too many preimages were tried for this checkout; wait some minutes', {
      retryAfterSeconds: waitSeconds,
    });
  }
  const paid = invoices.find((invoice) => provesHash(preimage.trim(), invoice.payment_hash) !== undefined);
  if (!paid) throw invalid('preimage does not prove that an invoice of this checkout was paid');
  const payment = await acceptPreimage(parts, paid, preimage);
  await parts.preimageTries.forget(session.id);
  return payment;
}

/** Whether the wallet of an invoice leaves it to the payer to show that it was paid. */
export async function isPreimageAskedFor(
  parts: Pick<Parts, 'db'>,
  { wallet_id, connection }: Pick<InvoiceRow, 'wallet_id' | 'connection'>,
): Promise<boolean> {
  // Pages ask with every look: most are answered without the database.
  if (!silentKinds.includes(connection)) return false;
  const wallet = await findWalletForJob(parts.db, wallet_id);
  return wallet !== undefined && asksForPreimage(wallet);
}
