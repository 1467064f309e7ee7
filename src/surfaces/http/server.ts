import type { IncomingHttpHeaders } from 'node:http';
import { STATUS_CODES } from 'node:http';
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import type { Caller } from '../../kernel/context.ts';
import { AppError } from '../../kernel/errors.ts';
import { randomBase62 } from '../../kernel/ids.ts';
import { RateLimited } from '../../limits/request-limits.ts';
import { StreamsFull } from '../../limits/stream-slots.ts';
import { renderError, toAppError } from './error-body.ts';
import { parseJsonBody } from './json-body.ts';
import { addOperationRoutes, type RouteOptions } from './operation-routes.ts';
import { allMethods } from './refuse-methods.ts';
import { dropUnusedConnections } from './unused-connections.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** For the log line. */
    operation?: string;
    credentialId?: string;
    caller?: Caller;
    failure?: AppError;
  }
  interface FastifyContextConfig {
    /** Whoever has the address may act: it stays out of the log, which names the route instead. */
    secretInPath?: true;
  }
}

const knownMethods: ReadonlySet<string> = new Set(allMethods);
const bodyLimitBytes = 1024 * 1024;
/** For a request to arrive whole, as long as Node gives its headers alone: a body that drips would hold its socket for good. */
const requestTimeoutMillis = 60_000;

interface HttpOptions extends RouteOptions {
  trustProxy: boolean | string[];
}

/** The HTTP server with a route per operation; no port is opened here. */
export function buildServer(options: HttpOptions): FastifyInstance {
  const { parts } = options;
  const server = fastify({
    logger: false,
    trustProxy: options.trustProxy,
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMillis,
    genReqId: () => `req_${randomBase62(20)}`,
    requestIdHeader: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    // Node would refuse it by itself, with a body of its own.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: 8192, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply as FastifyReply),
    clientErrorHandler: answerBrokenRequest,
  });

  // Declared, so that all requests stay objects of one kind.
  for (const member of ['operation', 'credentialId', 'caller', 'failure']) server.decorateRequest(member, undefined);

  dropUnusedConnections(server);
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:;|$)/i,
    { parseAs: 'buffer' },
    (request, body, done) => {
      try {
        done(null, parseJsonBody(body as Buffer, request.headers['content-encoding']));
      } catch (error) {
        done(error as AppError);
      }
    },
  );
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    if ((body as Buffer).length === 0) done(null, {});
    else done(new AppError('unsupported_media_type', 'Send the body as JSON with "Content-Type: application/json"'));
  });

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const failure = toAppError(error);
    request.failure = failure;
    if (failure instanceof RateLimited) reply.headers(failure.headers);
    const { status, headers, body } = renderError(failure, request.id);
    return reply
      .code(status)
      .headers(headers)
      .header('x-request-id', request.id)
      .type('application/json; charset=utf-8')
      .send(body);
  }
  server.setErrorHandler((error: FastifyError, request, reply) => sendError(error, request, reply));
  server.addHook('onRequest', (request, reply, done) => {
    dropTypeOfNothing(request.raw.headers);
    reply.header('x-request-id', request.id);
    // Here, so that a body that is wrong as well is not what is answered about.
    if (lacksHost(request)) done(new AppError('bad_request', 'The request has no Host header'));
    else done(request.is404 ? missing(request, reply) : undefined);
  });
  // What a client hopes for beside "100-continue" may be passed over (RFC 9110, 10.1.1); Node would answer without our body.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
  server.addHook('onResponse', (request, reply, done) => {
    logRequest(parts, request, reply);
    done();
  });

  addOperationRoutes(server, options);
  return server;
}

function logRequest(parts: Parts, request: FastifyRequest, reply: FastifyReply): void {
  const { failure } = request;
  parts.metrics.requestSeconds.observe(
    { operation: request.operation ?? 'none', status: reply.statusCode },
    reply.elapsedTime / 1000,
  );
  const line = {
    request_id: request.id,
    method: request.method,
    path: loggedPath(request),
    operation: request.operation,
    credential: request.credentialId,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    code: failure?.code,
  };
  const isOurs = failure && failure.status >= 500 && !(failure instanceof StreamsFull);
  if (isOurs) parts.log.error({ ...line, err: failure.cause ?? failure }, 'request failed');
  else parts.log.info(line, 'request');
}

/** Without the query: filters may carry customers' data. */
function loggedPath(request: FastifyRequest): string | undefined {
  if (request.routeOptions.config.secretInPath) return request.routeOptions.url;
  const { url } = request;
  const end = url.indexOf('?');
  const path = end < 0 ? url : url.slice(0, end);
  // A secret address with something behind it leads nowhere, and is as secret.
  return request.is404 ? path.replace(/[\w-]{20,}/g, '…') : path;
}

// What Node's parser refuses never reaches a route; it still gets the interface's envelope.
function answerBrokenRequest(error: Error & { code?: string }, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const failure = new AppError(
    error.code === 'HPE_HEADER_OVERFLOW' ? 'payload_too_large' : 'bad_request',
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? 'The request took too long to arrive'
      : 'The request is not valid HTTP or its headers are too large',
  );
  const { status, body } = renderError(failure, `req_${randomBase62(20)}`);
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `X-Request-Id: ${body.error.request_id}\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
}

/** No route was found: the method works nowhere, or the address leads nowhere. */
function missing({ method }: FastifyRequest, reply: FastifyReply): AppError {
  if (knownMethods.has(method)) return new AppError('not_found', 'Nothing is at this address');
  const allowed = allMethods.join(', ');
  reply.header('allow', allowed);
  return new AppError('method_not_allowed', `Only ${allowed} can work here`);
}

/** HTTP/1.1 asks for it (RFC 9112, section 3.2), earlier versions do not. */
function lacksHost({ raw }: FastifyRequest): boolean {
  return raw.headers.host === undefined && raw.httpVersion === '1.1';
}

/** What is no media type is refused before any parser runs; without a body it says nothing, and an empty one is `{}`. */
function dropTypeOfNothing(headers: IncomingHttpHeaders): void {
  const { 'content-type': type, 'content-length': length } = headers;
  // Most requests: taking a member away that is not there makes every later look into the headers slow.
  if (type === undefined || headers['transfer-encoding'] !== undefined) return;
  const isEmpty = length === undefined || length === '0';
  if (isEmpty && !/^[^\s/;]+\/[^\s/;]+\s*(?:;|$)/.test(type)) delete headers['content-type'];
}
