import type { Handle } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { TransactionRow } from '../model/transaction.ts';

const movements = `(
  select p.id, p.merchant_id, p.livemode, case p.kind when 'lightning' then 'payment' else 'cash' end as type, p.order_id,
         p.invoice_id, p.amount_sats, p.amount_cents, p.currency, p.payment_hash, p.wallet_id, p.created_at
    from payments p
  union all
  select r.id, r.merchant_id, r.livemode, 'refund', r.order_id, null, null, r.amount_cents, r.currency, null, null,
         r.created_at
    from refunds r
) t`;
const status = `'confirmed'::text`;

/** Newest first: every payment and every refund. */
export function listTransactions(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<TransactionRow>> {
  return listPage<TransactionRow>(
    db,
    {
      select: `select t.id, t.livemode, t.type, ${status} as status, t.order_id, o.order_number, t.invoice_id,
                      s.id as checkout_session_id, r.id as payment_request_id, t.amount_sats, t.amount_cents, t.currency,
                      t.payment_hash, t.wallet_id, o.metadata, t.created_at
                 from ${movements}
                 join orders o on o.id = t.order_id
                 left join checkout_sessions s on s.order_id = t.order_id
                 left join payment_requests r on r.order_id = t.order_id`,
      countFrom: `from ${movements}`,
      where: 't.merchant_id = $1 and t.livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: {
        status,
        type: 't.type',
        currency: 't.currency',
        created_at: 't.created_at',
        amount_sats: 't.amount_sats',
        order_id: 't.order_id',
      },
      orderBy: 't.created_at desc, t.id desc',
    },
    filters,
    page,
  );
}
