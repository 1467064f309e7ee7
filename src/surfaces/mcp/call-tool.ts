import type { Parts } from '../../flows/parts.ts';
import type { Caller } from '../../kernel/context.ts';
import { AppError } from '../../kernel/errors.ts';
import { isJsonObject } from '../../kernel/json-object.ts';
import { refusalOf } from '../../operation/access.ts';
import type { Answer } from '../../operation/answer.ts';
import { perform } from '../../operation/perform.ts';
import { renderError, toAppError } from '../http/error-body.ts';
import { RpcError } from './json-rpc.ts';
import type { Tool } from './tool.ts';
import { inArguments, toRawInput } from './tool-input.ts';

/** What a call tells of where it came from. */
export interface CallSource {
  readonly requestId: string;
  readonly address: string;
}

/** The tool that a publishable key may call over MCP. */
export const publishableTool = 'create_checkout_session';
/** Names that strangers make up are kept no longer than ours could be. */
const longestName = 64;

/** Why a caller may not use a tool; undefined when it may. Tools that may not be used are not listed either. */
export function toolRefusalOf({ name, operation }: Tool, caller: Caller): string | undefined {
  if (caller.kind === 'publishable' && name !== publishableTool) {
    return `A publishable key may only call ${publishableTool}; use a secret key on your server`;
  }
  return refusalOf(operation, caller);
}

/**
 * Answers `tools/call` on the one road of every call. What the API refuses is a result that says so, no protocol error.
 * Each call is noted, those of tools that do not exist included.
 * @returns the result as JSON text.
 * @throws {RpcError} for an unknown tool, and arguments that are no object.
 */
export async function callTool(
  parts: Parts,
  tools: ReadonlyMap<string, Tool>,
  caller: Caller,
  params: Readonly<Record<string, unknown>>,
  source: CallSource,
): Promise<string> {
  const name = typeof params.name === 'string' ? params.name : '';
  const tool = tools.get(name);
  let success = false;
  try {
    if (!tool)
      throw new RpcError('invalidParams', name ? `Unknown tool: ${shortName(name)}` : 'name must be a tool’s name');
    const { text, isError } = await run(parts, tool, caller, readArguments(params.arguments), source);
    success = !isError;
    return `{"content":[{"type":"text","text":${text}}],"isError":${isError}}`;
  } finally {
    parts.toolCalls.note(caller, tool?.name ?? shortName(name), success, parts.clock.now());
  }
}

/** @throws {RpcError} */
function readArguments(value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw new RpcError('invalidParams', 'arguments must be an object');
  return value;
}

// It goes into the log of tool calls, and PostgreSQL stores neither a NUL nor half a surrogate pair.
function shortName(name: string): string {
  return name.slice(0, longestName).toWellFormed().replaceAll('\u0000', '\ufffd');
}

/** What became of a call. @returns its text as a JSON string. */
async function run(
  parts: Parts,
  tool: Tool,
  caller: Caller,
  args: Readonly<Record<string, unknown>>,
  source: CallSource,
): Promise<{ text: string; isError: boolean }> {
  try {
    const refusal = toolRefusalOf(tool, caller);
    if (refusal !== undefined) throw new AppError('forbidden', refusal);
    const input = toRawInput(tool, args);
    const { requestId, address } = source;
    const context = { caller, requestId, address, log: parts.log, signal: parts.stopping, source: 'mcp' as const };
    return { text: answerText(await perform(tool.operation, parts, context, input)), isError: false };
  } catch (error) {
    const failure = inArguments(tool, toAppError(error));
    if (failure.status >= 500) {
      const line = { request_id: source.requestId, tool: tool.name, err: failure.cause ?? failure };
      parts.log.error(line, 'tool call failed');
    }
    return { text: JSON.stringify(JSON.stringify(renderError(failure, source.requestId).body)), isError: true };
  }
}

/** A JSON string that holds JSON: what has no body says that it was done, and a picture travels as text. */
function answerText({ mediaType, body, quoted }: Answer): string {
  if (mediaType === undefined) return JSON.stringify('{"ok":true}');
  if (!mediaType.startsWith('application/json'))
    return JSON.stringify(JSON.stringify({ content_type: mediaType, data: body }));
  return quoted?.() ?? JSON.stringify(body);
}
