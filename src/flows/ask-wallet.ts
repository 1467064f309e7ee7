import { type InvoiceFact, type InvoiceHandle, WalletFault } from '../lightning/connector.ts';
import type { InvoiceRow } from '../model/invoice.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import { findWalletForJob } from '../store/wallets.ts';
import type { Parts } from './parts.ts';

/**
 * What the wallet says of an invoice. Changes nothing. @throws {WalletFault} when it cannot be asked, and
 * {LookDeferred} when its host has been asked often enough for now.
 */
export async function askWallet(parts: Parts, invoice: InvoiceRow, signal: AbortSignal): Promise<InvoiceFact> {
  const wallet = await findWalletForJob(parts.db, invoice.wallet_id);
  if (!wallet) throw new WalletFault('refused', 'The wallet is no longer connected');
  const handle = JSON.parse(
    parts.sealer.open(invoice.handle, sealedPlace('invoices.handle', invoice.id)).toString(),
  ) as InvoiceHandle;
  const { ref, payment_hash: paymentHash, bolt11 } = invoice;
  return parts.wallets.lookupInvoice(wallet, { ref, paymentHash, bolt11, handle }, signal);
}
