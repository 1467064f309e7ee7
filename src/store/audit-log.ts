import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { AuditRow } from '../model/audit-entry.ts';

const columns = `merchant_id, number, id, livemode, actor, api_key_id, user_id, action, subject_id, request_id, created_at, hash`;

// Any fixed number will do; it keeps these locks apart from others.
const lock = statement(
  'audit_log_lock',
  'select pg_advisory_xact_lock(hashtextextended($1::text, 7283114))::text as done',
);
const last = statement(
  'audit_log_last',
  'select number, hash from audit_log where merchant_id = $1 order by number desc limit 1',
);
const insert = statement(
  'audit_log_insert',
  `insert into audit_log (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);
const walk = statement(
  'audit_log_walk',
  `select ${columns} from audit_log where merchant_id = $1 and number > $2 order by number limit $3`,
);

/** Locks a merchant's log to the end of the transaction. @returns its last entry. */
export async function lockAuditLog(
  tx: Handle,
  merchantId: string,
): Promise<Pick<AuditRow, 'number' | 'hash'> | undefined> {
  await tx.maybeOne(lock, [merchantId]);
  return tx.maybeOne(last, [merchantId]);
}

export async function insertAuditEntry(tx: Handle, row: AuditRow): Promise<void> {
  await tx.run(insert, [
    row.merchant_id,
    row.number,
    row.id,
    row.livemode,
    row.actor,
    row.api_key_id,
    row.user_id,
    row.action,
    row.subject_id,
    row.request_id,
    row.created_at,
    row.hash,
  ]);
}

/** Newest first; entries of no mode show in both. */
export function listAuditEntries(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<AuditRow>> {
  return listPage<AuditRow>(
    db,
    {
      select: `select ${columns} from audit_log`,
      countFrom: 'from audit_log',
      where: 'merchant_id = $1 and (livemode is null or livemode = $2)',
      values: [scope.merchantId, scope.livemode],
      columns: { action: 'action', actor: 'actor', created_at: 'created_at' },
      orderBy: 'number desc',
    },
    filters,
    page,
  );
}

/** The next entries after number `after`, oldest first, for the operator. */
export function walkAuditLog(db: Handle, merchantId: string, after: number, limit: number): Promise<AuditRow[]> {
  return db.many(walk, [merchantId, after, limit]);
}
