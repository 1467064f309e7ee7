import { isJsonObject } from '../../kernel/json-object.ts';

/** The part of JSON-RPC 2.0 that the endpoint speaks. */
export type RequestId = string | number;

export interface RpcRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What one member of a body is. */
export type RpcMessage =
  | { readonly kind: 'request'; readonly request: RpcRequest }
  /** A notification, or the answer to something we never asked: nothing is said to it. */
  | { readonly kind: 'silent' }
  | { readonly kind: 'broken'; readonly id: RequestId | null; readonly why: string };

export const rpcErrors = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  unauthorized: -32001,
  /** What the transport does not do, and being asked too often. */
  transport: -32000,
} as const;

/** An error that belongs to the protocol; what the API says to a tool is a result, not one of these. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: keyof typeof rpcErrors, message: string) {
    super(message);
    this.code = rpcErrors[code];
  }
}

/** A message as JSON text. @param result JSON text. */
export const rpcResult = (id: RequestId, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
/** A message as JSON text. */
export const rpcFailure = (id: RequestId | null, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });

export function readMessage(value: unknown): RpcMessage {
  if (!isJsonObject(value)) return { kind: 'broken', id: null, why: 'A message must be a JSON object' };
  const id = isRequestId(value.id) ? value.id : null;
  const broken = (why: string): RpcMessage => ({ kind: 'broken', id, why });
  if (value.jsonrpc !== '2.0') return broken('jsonrpc must be "2.0"');
  if (value.method === undefined && ('result' in value || 'error' in value)) return { kind: 'silent' };
  if (typeof value.method !== 'string' || value.method === '') return broken('method must be text');
  if (!('id' in value)) return { kind: 'silent' };
  if (id === null) return broken('id must be text or a whole number');
  const params = value.params ?? {};
  if (!isJsonObject(params)) return broken('params must be an object');
  return { kind: 'request', request: { id, method: value.method, params } };
}

/** Whose a refusal of a whole body is: its request's, where it is a single one (JSON-RPC 2.0, section 5). */
export function idOf(body: unknown): RequestId | null {
  const message = readMessage(body);
  if (message.kind === 'request') return message.request.id;
  return message.kind === 'broken' ? message.id : null;
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
