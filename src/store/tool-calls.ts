import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { ToolCallRow } from '../model/tool-call.ts';

// Of a batch most calls are one caller's, so callers are told once each. As JSON the same rows cost a quarter more.
const insertText = `insert into tool_calls (id, merchant_id, livemode, credential_id, tool, success, created_at)
   select id, ($6::uuid[])[caller], ($7::boolean[])[caller], ($8::uuid[])[caller], tool, success, created_at
     from unnest($1::uuid[], $2::integer[], $3::text[], $4::boolean[], $5::timestamptz[])
          as call (id, caller, tool, success, created_at)`;
const insert = statement('tool_calls_insert', insertText);
const insertAgain = statement('tool_calls_insert_again', `${insertText} on conflict do nothing`);
const sweep = statement(
  'tool_calls_sweep',
  'delete from tool_calls where ctid = any(array(select ctid from tool_calls where created_at < $1 limit $2))',
);

/**
 * Calls of all tenants together: each row names its own.
 * @param again some may stand there already; to look for them costs half as much as to write them.
 */
export async function insertToolCalls(db: Handle, calls: readonly ToolCallRow[], again: boolean): Promise<void> {
  const places = new Map<string, number>();
  const callers: ToolCallRow[] = [];
  const callerOf = (call: ToolCallRow): number => {
    // A credential has one merchant and one mode.
    let place = places.get(call.credential_id);
    if (place === undefined) {
      place = callers.push(call);
      places.set(call.credential_id, place);
    }
    return place;
  };
  await db.run(again ? insertAgain : insert, [
    calls.map(({ id }) => id),
    calls.map(callerOf),
    calls.map(({ tool }) => tool),
    calls.map(({ success }) => success),
    calls.map(({ created_at }) => created_at),
    callers.map(({ merchant_id }) => merchant_id),
    callers.map(({ livemode }) => livemode),
    callers.map(({ credential_id }) => credential_id),
  ]);
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
