import { boolean, text, timestamp, uuid } from '../../kernel/filters.ts';
import { toolCallSchema, toToolCall } from '../../model/tool-call.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listToolCalls as listToolCallRows } from '../../store/tool-calls.ts';

export const listToolCalls = operation({
  name: 'list_tool_calls',
  summary: 'List the tools that agents called over MCP, newest first',
  description: 'Tool, token, time and whether it worked; arguments and results are not kept.',
  method: 'GET',
  path: '/api/v1/m/tool_calls',
  access: { permission: 'merchant:read' },
  query: { paged: true, filters: { tool: text, success: boolean, credential_id: uuid, created_at: timestamp } },
  answer: listOf(toolCallSchema),
  tool: false,
  async run(call, { page, filters }) {
    // What this process has noted and not written yet belongs to the answer.
    await call.parts.toolCalls.flush();
    const { rows, totalCount } = await listToolCallRows(call.db, call.scope, page, filters);
    return { page, result: { rows: rows.map(toToolCall), totalCount } };
  },
});
