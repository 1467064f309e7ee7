import type { Handle } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { TransactionRow } from '../model/transaction.ts';

const type = `(case p.kind when 'lightning' then 'payment' else 'cash' end)`;
const status = `'confirmed'::text`;

/** Newest first: every payment. */
export function listTransactions(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<TransactionRow>> {
  return listPage<TransactionRow>(
    db,
    {
      select: `select p.id, p.livemode, ${type} as type, ${status} as status, p.order_id, o.order_number, p.invoice_id,
                      r.id as payment_request_id, p.amount_sats, p.amount_cents, p.currency, p.payment_hash, p.wallet_id,
                      o.metadata, p.created_at
                 from payments p
                 join orders o on o.id = p.order_id
                 left join payment_requests r on r.order_id = p.order_id`,
      countFrom: 'from payments p',
      where: 'p.merchant_id = $1 and p.livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: {
        status,
        type,
        currency: 'p.currency',
        created_at: 'p.created_at',
        amount_sats: 'p.amount_sats',
        order_id: 'p.order_id',
      },
      orderBy: 'p.created_at desc, p.id desc',
    },
    filters,
    page,
  );
}
