import type { Parts } from '../../flows/parts.ts';
import type { Caller } from '../../kernel/context.ts';
import { type CallSource, callTool, toolRefusalOf } from './call-tool.ts';
import { RpcError, type RpcMessage, type RpcRequest, rpcErrors, rpcFailure, rpcResult } from './json-rpc.ts';
import { initialize } from './protocol.ts';
import type { Tool } from './tool.ts';

/** What is said to one message, as JSON text; undefined where nothing is. */
export async function answerMessage(
  parts: Parts,
  tools: ReadonlyMap<string, Tool>,
  caller: Caller,
  message: RpcMessage,
  source: CallSource,
): Promise<string | undefined> {
  if (message.kind === 'silent') return undefined;
  if (message.kind === 'broken') return rpcFailure(message.id, rpcErrors.invalidRequest, message.why);
  const { request } = message;
  try {
    return rpcResult(request.id, await answer(parts, tools, caller, request, source));
  } catch (error) {
    if (error instanceof RpcError) return rpcFailure(request.id, error.code, error.message);
    throw error;
  }
}

/** @returns JSON text. @throws {RpcError} */
function answer(
  parts: Parts,
  tools: ReadonlyMap<string, Tool>,
  caller: Caller,
  { method, params }: RpcRequest,
  source: CallSource,
): string | Promise<string> {
  const mayUse = (tool: Tool | undefined) => tool !== undefined && toolRefusalOf(tool, caller) === undefined;
  switch (method) {
    case 'initialize':
      return JSON.stringify(initialize(params, (name) => mayUse(tools.get(name))));
    case 'ping':
      return '{}';
    case 'tools/list': {
      const usable = [...tools.values()].filter(mayUse);
      return JSON.stringify({ tools: usable.map(({ listed }) => listed) });
    }
    case 'tools/call':
      return callTool(parts, tools, caller, params, source);
    default:
      throw new RpcError('methodNotFound', `There is no method ${method.slice(0, 100)}`);
  }
}
