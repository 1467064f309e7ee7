import { AppError, invalid } from '../kernel/errors.ts';
import { provesHash } from '../lightning/preimage.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import type { PaymentRow } from '../model/payment.ts';
import { asksForPreimage } from '../model/wallet.ts';
import { findWalletForJob } from '../store/wallets.ts';
import type { Parts } from './parts.ts';
import { settlePayment } from './settle-payment.ts';

/**
 * A payer shows the preimage that their wallet got for paying. One that hashes to the payment hash is as good a proof as
 * the receiving wallet is discreet, so that each wallet has a switch for it (`takes_preimages`), which counts only where
 * the wallet does not tell by itself.
 * @returns the payment; the same one however often it is shown.
 * @throws {AppError} `conflict` where the wallet does not take preimages, `validation_error` for one that proves nothing.
 */
export async function acceptPreimage(parts: Parts, invoice: InvoiceRow, preimage: string): Promise<PaymentRow> {
  const wallet = await findWalletForJob(parts.db, invoice.wallet_id);
  if (!wallet || !asksForPreimage(wallet)) {
    throw new AppError('conflict', 'Payments to this wallet are seen by themselves; no preimage is needed');
  }
  const proof = provesHash(preimage.trim(), invoice.payment_hash);
  if (proof === undefined) throw invalid('preimage does not prove that this invoice was paid');
  return settlePayment(parts, invoice.id, {
    state: 'settled',
    receivedMsat: undefined,
    preimage: proof,
    settledAt: undefined,
  });
}
