import { type Static, Type } from 'typebox';
import { livemode, objectName, timestamp, uuid } from './fields.ts';

/** How long it is known which tools an agent called. */
export const toolCallsKeptDays = 90;

export interface ToolCallRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  credential_id: string;
  tool: string;
  success: boolean;
  created_at: Date;
}

export const toolCallSchema = Type.Object(
  {
    object: objectName('tool_call'),
    livemode,
    id: uuid('Tool call'),
    tool: Type.String({ description: 'As it was asked for; a tool that does not exist never succeeds' }),
    success: Type.Boolean(),
    credential_id: uuid('API token or OAuth connection'),
    created_at: timestamp('When it was called'),
  },
  { description: 'That an agent called a tool over MCP; never what was sent or answered' },
);

export function toToolCall(row: ToolCallRow): Static<typeof toolCallSchema> {
  const { livemode, id, tool, success, credential_id } = row;
  return { object: 'tool_call', livemode, id, tool, success, credential_id, created_at: row.created_at.toISOString() };
}
