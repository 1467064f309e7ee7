import { type Sale, type SaleRow, toSale } from '../../model/sale.ts';
import type { Call } from '../../operation/operation.ts';
import { listOrdersById } from '../../store/orders.ts';
import { listPaymentsUpTo } from '../../store/payments.ts';
import { listWalletNames } from '../../store/wallets.ts';

/** Sales with what their shape shows of order, payment and wallet; three more reads, whatever the number. */
export async function readSales(call: Call, rows: readonly SaleRow[]): Promise<Sale[]> {
  const paymentIds = rows.map((row) => row.payment_id).filter((id) => id !== null);
  const [orders, payments, walletNames] = await Promise.all([
    listOrdersById(
      call.db,
      rows.map((row) => row.order_id),
    ),
    listPaymentsUpTo(call.db, paymentIds),
    listWalletNames(call.db, call.scope),
  ]);
  return rows.map((row) => {
    const parts = (row.payment_id === null ? undefined : payments.get(row.payment_id)) ?? [];
    const walletId = parts.at(-1)?.wallet_id;
    const walletName = walletId ? (walletNames.get(walletId) ?? null) : null;
    const order = orders.get(row.order_id)!;
    return toSale(row, { order, payments: parts, walletName, payUrl: call.parts.links.payUrl });
  });
}
