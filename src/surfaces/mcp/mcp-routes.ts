import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import { type Caller, oauthScopes } from '../../kernel/context.ts';
import { AppError } from '../../kernel/errors.ts';
import { RateLimited, takeRequests } from '../../limits/request-limits.ts';
import type { Operation } from '../../operation/operation.ts';
import { countStranger, identify } from '../http/admit.ts';
import { addPreflight, allowAnyOrigin } from '../http/cors.ts';
import { toAppError } from '../http/error-body.ts';
import { routeHooks } from '../http/route-hooks.ts';
import { answerMessage } from './answer-messages.ts';
import { idOf, type RequestId, RpcError, type RpcMessage, readMessage, rpcErrors, rpcFailure } from './json-rpc.ts';
import { isAllowedOrigin } from './origins.ts';
import { versionFault } from './protocol.ts';
import { toTool } from './tool.ts';

const mcpPath = '/api/v1/mcp';
const mostMessages = 50;
const sharedHeaders = {
  exposed: 'www-authenticate, x-request-id, retry-after',
  allowed: 'authorization, content-type, mcp-protocol-version, mcp-session-id',
};

interface McpOptions {
  /** Whose web pages may use it with a secret key, besides the service's own; `*` for all. */
  readonly allowedOrigins: readonly string[];
}

/** The hosted MCP endpoint (Model Context Protocol, Streamable HTTP without streams): JSON-RPC over POST. */
export function addMcpEndpoint(
  server: FastifyInstance,
  parts: Parts,
  operations: readonly Operation[],
  { allowedOrigins }: McpOptions,
): void {
  const tools = new Map(
    operations.filter(({ tool }) => tool !== false).map((operation) => [operation.name, toTool(operation)]),
  );

  server.register(async (endpoint) => {
    // The body is taken as it is, whatever its type, so that every fault in it is answered in JSON-RPC.
    endpoint.removeAllContentTypeParsers();
    // JSON by its name as well: that one is found without reading the header again for each request.
    for (const type of ['application/json', '*']) {
      endpoint.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    }
    endpoint.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));

    endpoint.route({
      method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'],
      url: mcpPath,
      exposeHeadRoute: false,
      onRequest: async (_request, reply) =>
        sendJson(
          allowAnyOrigin(reply, sharedHeaders).code(405).header('allow', 'POST'),
          rpcFailure(null, rpcErrors.transport, 'Only POST works here; there is no stream to open'),
        ),
      handler: async () => {},
    });
    addPreflight(endpoint, mcpPath, ['POST'], sharedHeaders);
    endpoint.post(mcpPath, routeHooks(admit, handle));
  });

  // Before the body is read: a missing key is 401 whatever the body holds.
  function admit(request: FastifyRequest, reply: FastifyReply): undefined | Promise<undefined> {
    if (request.headers.origin !== undefined) allowAnyOrigin(reply, sharedHeaders);
    request.operation = 'mcp';
    checkOrigin(request);
    const letIn = (caller: Caller | undefined): undefined => {
      if (!caller) {
        countStranger(parts, request, reply);
        throw new AppError('missing_token', 'Send your key in the header "Authorization: Bearer <key>"');
      }
      request.caller = caller;
      request.credentialId = caller.credentialId;
    };
    const found = identify(parts, request, reply);
    return found instanceof Promise ? found.then(letIn) : letIn(found);
  }

  /** @throws {AppError} 403. What a publishable key may do, it may do on any page. */
  function checkOrigin({ headers: { origin, authorization = '' } }: FastifyRequest): void {
    const own = [parts.links.publicUrl, parts.links.payUrl];
    if (isAllowedOrigin(origin, { own, listed: allowedOrigins }) || /^bearer +pk_/i.test(authorization)) return;
    throw new AppError(
      'forbidden',
      'Web pages of this origin may not use it; MCP_ALLOWED_ORIGINS names those that may',
    );
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const body = readBody(request.body);
    const fault = body instanceof RpcError ? body : faultOf(request, body);
    const messages = fault ? [] : Array.isArray(body) ? body.map(readMessage) : [readMessage(body)];
    // Each request counts once, whatever it calls, and a batch is taken or refused whole; so does what cannot be read.
    const count = fault ? 1 : messages.filter(({ kind }) => kind !== 'silent').length;
    const caller = request.caller!;
    const now = parts.clock.now();
    try {
      reply.headers(takeRequests(parts.rateLimiter, caller, request.ip, count, now));
    } catch (error) {
      return sendFailure(error, request, reply, idOf(body));
    }
    if (count > 0) parts.usage.count(caller.credentialId, count, now);
    if (fault) return sendJson(reply.code(400), rpcFailure(idOf(body), fault.code, fault.message));

    const answers: string[] = [];
    // In order, one after the other: a later one may build on what an earlier one did.
    for (const message of messages) {
      const source = { requestId: request.id, address: request.ip };
      const answer = await answerMessage(parts, tools, caller, message, source);
      if (answer) answers.push(answer);
    }
    if (answers.length === 0) return reply.code(202).send();
    if (Array.isArray(body)) return sendJson(reply, `[${answers.join(',')}]`);
    return sendJson(reply.code(isBroken(messages[0]!) ? 400 : 200), answers[0]!);
  }

  function sendFailure(
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    id: RequestId | null = null,
  ): FastifyReply {
    const failure = toAppError(error);
    request.failure = failure;
    if (failure instanceof RateLimited) reply.headers(failure.headers);
    if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds));
    if (failure.status !== 401) {
      const code = failure.code === 'payload_too_large' ? rpcErrors.invalidRequest : rpcErrors.transport;
      return sendJson(reply.code(failure.status), rpcFailure(id, code, failure.message));
    }
    // RFC 9728, section 5.1; RFC 6750, section 3: no error where no token was sent.
    const metadata = `${parts.links.publicUrl}/.well-known/oauth-protected-resource${mcpPath}`;
    const invalid = failure.code === 'missing_token' ? '' : ', error="invalid_token"';
    reply.header(
      'www-authenticate',
      `Bearer resource_metadata="${metadata}", scope="${oauthScopes.join(' ')}"${invalid}`,
    );
    return sendJson(reply.code(401), rpcFailure(null, rpcErrors.unauthorized, failure.message));
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function readBody(bytes: unknown): unknown {
  try {
    return JSON.parse(utf8.decode(bytes as Buffer | undefined));
  } catch {
    return new RpcError('parse', 'The body is not valid JSON in UTF-8');
  }
}

/** What is wrong with a whole body or its headers, as opposed to one message of it. */
function faultOf({ headers }: FastifyRequest, body: unknown): RpcError | undefined {
  const version = versionFault(headers['mcp-protocol-version'], body);
  if (version !== undefined) return new RpcError('invalidRequest', version);
  if (!Array.isArray(body)) return undefined;
  if (body.length === 0) return new RpcError('invalidRequest', 'A batch must not be empty');
  if (body.length <= mostMessages) return undefined;
  return new RpcError('invalidRequest', `A batch may hold ${mostMessages} messages`);
}

function isBroken({ kind }: RpcMessage): boolean {
  return kind === 'broken';
}

function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(text);
}
