import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { ToolCallRow } from '../model/tool-call.ts';

// As one text: arrays of a batch cost more to write down than the calls did. Written again when nothing was heard of it.
const insert = statement(
  'tool_calls_insert',
  `insert into tool_calls (id, merchant_id, livemode, credential_id, tool, success, created_at)
   select id, merchant_id, livemode, credential_id, tool, success, created_at
     from json_to_recordset($1::json) as t (id uuid, merchant_id uuid, livemode boolean, credential_id uuid, tool text,
                                            success boolean, created_at timestamptz(3))
   on conflict do nothing`,
);
const sweep = statement(
  'tool_calls_sweep',
  'delete from tool_calls where ctid = any(array(select ctid from tool_calls where created_at < $1 limit $2))',
);

/** Calls of all tenants together: each row names its own. */
export async function insertToolCalls(db: Handle, calls: readonly ToolCallRow[]): Promise<void> {
  await db.run(insert, [JSON.stringify(calls)]);
}

/** Removes a batch of calls from before. @returns the number of rows. */
export function sweepToolCalls(db: Handle, before: Date, batchSize: number): Promise<number> {
  return db.run(sweep, [before, batchSize]);
}

/** Newest first. */
export function listToolCalls(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<ToolCallRow>> {
  return listPage<ToolCallRow>(
    db,
    {
      select: 'select id, merchant_id, livemode, credential_id, tool, success, created_at from tool_calls',
      countFrom: 'from tool_calls',
      where: 'merchant_id = $1 and livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: { tool: 'tool', success: 'success', credential_id: 'credential_id', created_at: 'created_at' },
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}
