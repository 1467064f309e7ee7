import { type Handle, statement } from '../db/database.ts';

export interface ToolCallRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  credential_id: string;
  tool: string;
  success: boolean;
  created_at: Date;
}

// A batch whose outcome was not heard of is written again.
const insert = statement(
  'tool_calls_insert',
  `insert into tool_calls (id, merchant_id, livemode, credential_id, tool, success, created_at)
   select * from unnest($1::uuid[], $2::uuid[], $3::boolean[], $4::uuid[], $5::text[], $6::boolean[], $7::timestamptz[])
   on conflict (id) do nothing`,
);

/** Calls of all tenants together: each row names its own. */
export async function insertToolCalls(db: Handle, calls: readonly ToolCallRow[]): Promise<void> {
  await db.run(insert, [
    calls.map(({ id }) => id),
    calls.map(({ merchant_id }) => merchant_id),
    calls.map(({ livemode }) => livemode),
    calls.map(({ credential_id }) => credential_id),
    calls.map(({ tool }) => tool),
    calls.map(({ success }) => success),
    calls.map(({ created_at }) => created_at),
  ]);
}
