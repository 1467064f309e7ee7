import { type Handle, statement } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { newId } from '../kernel/ids.ts';

const insert = statement(
  'tool_calls_insert',
  `insert into tool_calls (id, merchant_id, livemode, credential_id, tool, success, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

export interface ToolCall {
  credentialId: string;
  tool: string;
  success: boolean;
  at: Date;
}

export async function insertToolCall(db: Handle, scope: Scope, call: ToolCall): Promise<void> {
  const { credentialId, tool, success, at } = call;
  await db.run(insert, [newId(), scope.merchantId, scope.livemode, credentialId, tool, success, at]);
}
