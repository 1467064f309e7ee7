import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import type { Caller } from '../../kernel/context.ts';
import { AppError } from '../../kernel/errors.ts';
import { RateLimited, takeRequests } from '../../limits/request-limits.ts';
import type { Operation } from '../../operation/operation.ts';
import { callTool, specialised } from './call-tool.ts';
import {
  isObject,
  RpcError,
  type RpcMessage,
  type RpcRequest,
  readMessage,
  rpcErrors,
  rpcFailure,
  rpcResult,
} from './json-rpc.ts';
import { type Tool, toTool } from './tool.ts';

/** What a call tells of where it came from. */
interface Visit {
  requestId: string;
  address: string;
}

export const mcpPath = '/api/v1/mcp';
const serverInfo = { name: 'satline', title: 'Satline', version: '1.2.1' };
const protocolVersions = ['2025-06-18', '2025-03-26', '2024-11-05'];
const mostMessages = 50;
const instructions =
  'Tools of one merchant’s Bitcoin Lightning till. Amounts *_cents are minor units of the currency, *_sats are satoshis. ' +
  'create_order or create_checkout_session asks for money; check_invoice_status says whether it came.';

/** The hosted MCP endpoint (Model Context Protocol, Streamable HTTP without streams): JSON-RPC over POST. */
export function addMcpEndpoint(server: FastifyInstance, parts: Parts, operations: readonly Operation[]): void {
  const tools = new Map(
    operations
      .filter(({ tool }) => tool !== false)
      .map((operation) => {
        const tool = specialised(toTool(operation));
        return [tool.listed.name, tool] as const;
      }),
  );

  server.register(async (endpoint) => {
    // The body is read as text whatever its type, so that every fault in it is answered in JSON-RPC.
    endpoint.removeAllContentTypeParsers();
    endpoint.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    endpoint.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));

    endpoint.route({
      method: ['GET', 'PUT', 'PATCH', 'DELETE'],
      url: mcpPath,
      exposeHeadRoute: false,
      onRequest: async (_request, reply) =>
        reply
          .code(405)
          .header('allow', 'POST')
          .send(rpcFailure(null, rpcErrors.transport, 'Only POST works here; there is no stream to open')),
      handler: async () => {},
    });
    endpoint.options(mcpPath, async (_request, reply) =>
      allowBrowsers(reply)
        .code(204)
        .header('access-control-allow-methods', 'POST')
        .header('access-control-allow-headers', 'authorization, content-type, mcp-protocol-version, mcp-session-id')
        .header('access-control-max-age', '86400')
        .send(),
    );
    endpoint.post(mcpPath, { onRequest: admit }, handle);
  });

  // Before the body is read: a missing key is 401 whatever the body holds.
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    allowBrowsers(reply);
    request.operation = 'mcp';
    const caller = await parts.authenticator.authenticate(request.headers.authorization, request.ip);
    if (!caller) throw new AppError('missing_token', 'Send your key in the header "Authorization: Bearer <key>"');
    request.caller = caller;
    request.credentialId = caller.credentialId;
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const version = request.headers['mcp-protocol-version'];
    if (version !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(String(version))) {
      return reply
        .code(400)
        .send(rpcFailure(null, rpcErrors.invalidRequest, 'MCP-Protocol-Version must be a date such as 2025-06-18'));
    }
    let body: unknown;
    try {
      body = JSON.parse(String(request.body ?? ''));
    } catch {
      return reply.code(400).send(rpcFailure(null, rpcErrors.parse, 'The body is not valid JSON'));
    }
    const caller = request.caller!;
    const visit = { requestId: request.id, address: request.ip };
    takeFor(body, caller, request, reply);
    if (!Array.isArray(body)) return answerOne(readMessage(body), caller, visit, reply);
    if (body.length === 0 || body.length > mostMessages) {
      const why = body.length === 0 ? 'A batch must not be empty' : `A batch may hold ${mostMessages} messages`;
      return reply.code(400).send(rpcFailure(null, rpcErrors.invalidRequest, why));
    }
    const answers: unknown[] = [];
    // In order, one after the other: a later one may build on what an earlier one did.
    for (const member of body) {
      const answer = await answerTo(readMessage(member), caller, visit);
      if (answer) answers.push(answer);
    }
    return answers.length === 0 ? reply.code(202).send() : sendJson(reply, answers);
  }

  /** Each request counts once, whatever tool it calls; a batch is taken or refused whole. */
  function takeFor(body: unknown, caller: Caller, request: FastifyRequest, reply: FastifyReply): void {
    const count = Array.isArray(body) ? Math.max(1, body.length) : 1;
    reply.headers(takeRequests(parts.rateLimiter, caller, request.ip, count, parts.clock.now()));
  }

  async function answerOne(
    message: RpcMessage,
    caller: Caller,
    visit: Visit,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const answer = await answerTo(message, caller, visit);
    if (!answer) return reply.code(202).send();
    return sendJson(reply.code(message.kind === 'broken' ? 400 : 200), answer);
  }

  async function answerTo(message: RpcMessage, caller: Caller, visit: Visit): Promise<object | undefined> {
    if (message.kind === 'silent') return undefined;
    if (message.kind === 'broken') return rpcFailure(message.id, rpcErrors.invalidRequest, message.why);
    const { request } = message;
    try {
      return rpcResult(request.id, await run(request, caller, visit));
    } catch (error) {
      if (error instanceof RpcError) return rpcFailure(request.id, error.code, error.message);
      throw error;
    }
  }

  async function run({ method, params }: RpcRequest, caller: Caller, visit: Visit): Promise<unknown> {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: negotiated(params.protocolVersion),
          capabilities: { tools: { listChanged: false } },
          serverInfo,
          instructions,
        };
      case 'ping':
        return {};
      case 'tools/list':
        return { tools: [...tools.values()].map(({ listed }) => listed) };
      case 'tools/call':
        return callTool(parts, caller, requireTool(params.name), readArguments(params.arguments), visit);
      default:
        throw new RpcError('methodNotFound', `There is no method ${method.slice(0, 100)}`);
    }
  }

  function requireTool(name: unknown): Tool {
    const tool = typeof name === 'string' ? tools.get(name) : undefined;
    if (!tool) throw new RpcError('invalidParams', `Unknown tool: ${String(name).slice(0, 100)}`);
    return tool;
  }

  function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const failure = error instanceof AppError ? error : undefined;
    if (!failure) {
      const status = (error as { statusCode?: number }).statusCode ?? 500;
      if (status >= 500) parts.log.error({ request_id: request.id, err: error }, 'mcp request failed');
      const [code, words] =
        status === 413
          ? [rpcErrors.invalidRequest, 'The body is larger than 1 MiB']
          : [rpcErrors.transport, status >= 500 ? 'Something went wrong; try again' : 'The request cannot be read'];
      return sendJson(reply.code(status), rpcFailure(null, code, words));
    }
    request.failure = failure;
    if (failure instanceof RateLimited) reply.headers(failure.headers);
    if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds));
    if (failure.status === 401) {
      const invalid = failure.code === 'missing_token' ? '' : ', error="invalid_token"';
      const metadata = `${parts.links.publicUrl}/.well-known/oauth-protected-resource${mcpPath}`;
      reply.header('www-authenticate', `Bearer resource_metadata="${metadata}", scope="catalog"${invalid}`);
      return sendJson(reply.code(401), rpcFailure(null, rpcErrors.unauthorized, failure.message));
    }
    return sendJson(reply.code(failure.status), rpcFailure(null, rpcErrors.transport, failure.message));
  }
}

function negotiated(asked: unknown): string {
  return protocolVersions.find((version) => version === asked) ?? protocolVersions[0]!;
}

/** @throws {RpcError} */
function readArguments(value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw new RpcError('invalidParams', 'arguments must be an object');
  return value;
}

function sendJson(reply: FastifyReply, body: object): FastifyReply {
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(JSON.stringify(body));
}

/** With a key in a header and no cookies there is nothing a foreign page could ride on. */
function allowBrowsers(reply: FastifyReply): FastifyReply {
  return reply
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', 'www-authenticate, x-request-id, retry-after');
}
