import type { Parts } from '../../flows/parts.ts';
import { recordToolCall } from '../../flows/record-tool-call.ts';
import type { Caller } from '../../kernel/context.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Answer } from '../../operation/answer.ts';
import { perform } from '../../operation/perform.ts';
import { renderError, toAppError } from '../http/error-body.ts';
import { asOrderTool, toOrderArguments } from './order-tool.ts';
import type { Tool } from './tool.ts';
import { toRawInput } from './tool-input.ts';

export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly isError: boolean;
}

/** The tool that a publishable key may call over MCP. */
export const publishableTool = 'create_checkout_session';

/** Calls a tool on the one road of every call. What the API refuses is a result that says so, no protocol error. */
export async function callTool(
  parts: Parts,
  caller: Caller,
  tool: Tool,
  args: Readonly<Record<string, unknown>>,
  visit: { requestId: string; address: string },
): Promise<ToolResult> {
  const { name } = tool.listed;
  const { requestId } = visit;
  try {
    if (caller.kind === 'publishable' && name !== publishableTool) {
      throw new AppError(
        'forbidden',
        `A publishable key may only call ${publishableTool}; use a secret key on your server`,
      );
    }
    const input = toRawInput(tool, name === 'create_order' ? toOrderArguments(args) : args);
    const context = { ...visit, caller, log: parts.log, signal: parts.stopping, source: 'mcp' as const };
    const answer = await perform(tool.operation, parts, context, input);
    recordToolCall(parts, caller, name, true);
    return text(answerText(answer), false);
  } catch (error) {
    const failure = toAppError(error);
    if (failure.status >= 500) {
      parts.log.error({ request_id: requestId, tool: name, err: failure.cause ?? failure }, 'tool call failed');
    }
    recordToolCall(parts, caller, name, false);
    return text(JSON.stringify(renderError(failure, requestId).body), true);
  }
}

/** Always JSON: what has no body says that it was done, and a picture travels as text. */
function answerText({ mediaType, body }: Answer): string {
  if (mediaType === undefined) return '{"ok":true}';
  if (mediaType.startsWith('application/json')) return body;
  return JSON.stringify({ content_type: mediaType, data: body });
}

function text(content: string, isError: boolean): ToolResult {
  return { content: [{ type: 'text', text: content }], isError };
}

/** What is special about single tools. */
export function specialised(tool: Tool): Tool {
  return tool.listed.name === 'create_order' ? asOrderTool(tool) : tool;
}
