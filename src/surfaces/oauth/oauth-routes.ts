import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { Parts } from '../../flows/parts.ts';
import { networkOf } from '../../limits/network-of.ts';
import { RateLimited, takeRequests } from '../../limits/request-limits.ts';
import { createSharedTries } from '../../limits/shared-tries.ts';
import { addPreflight, allowAnyOrigin } from '../http/cors.ts';
import { toAppError } from '../http/error-body.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { askProvider, type ProviderAnswer, type ProviderRequest, providerCookies } from './ask-provider.ts';
import { addInteractionPages } from './interaction-routes.ts';
import { authorizePath, registerPath, resourceMetadata, revokePath, serverMetadata, tokenPath } from './metadata.ts';
import { normaliseRegistration } from './normalise-registration.ts';
import { normaliseAuthorization, normaliseTokenRequest } from './normalise-request.ts';
import { OauthError } from './oauth-error.ts';
import { lazyProvider } from './provider.ts';
import { showRequestError } from './request-error.ts';

const bodyLimitBytes = 64 * 1024;
/** Assistants that many people use register from few addresses. */
const registrationsAnHour = { name: 'registration', most: 60, windowSeconds: 3600 };
const metadataAgeSeconds = 300;
/** For clients that are web pages themselves. */
const sharedHeaders = {
  exposed: 'www-authenticate, x-request-id, retry-after',
  allowed: 'authorization, content-type, mcp-protocol-version',
};
const form = 'application/x-www-form-urlencoded';

/** What every address needs. */
interface Door {
  readonly server: FastifyInstance;
  readonly parts: Parts;
  readonly openProvider: () => Promise<Provider>;
}

/** The authorization server for assistants (OAuth 2.1, MCP 2025-06-18 "Authorization") on Satline's own address. */
export function addOauth(app: FastifyInstance, parts: Parts): void {
  const openProvider = lazyProvider(parts, showRequestError);
  addInteractionPages(app, parts, openProvider);
  app.register(async (server) => {
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'string', bodyLimit: bodyLimitBytes }, (_request, body, done) =>
      done(null, body),
    );
    server.setErrorHandler((error, request, reply) => sendError(parts, error, request, reply));
    const door = { server, parts, openProvider };
    addMetadata(door, '/.well-known/oauth-protected-resource', resourceMetadata);
    addMetadata(door, '/.well-known/oauth-protected-resource/api/v1/mcp', resourceMetadata);
    addMetadata(door, '/.well-known/oauth-authorization-server', serverMetadata);
    addAuthorization(door);
    addToken(door);
    addRevocation(door);
    addRegistration(door);
  });
}

function addMetadata({ server, parts }: Door, path: string, describe: (publicUrl: string) => object): void {
  server.get(path, { onRequest: admit(parts, 'oauth_metadata') }, async (_request, reply) =>
    allowAnyOrigin(reply, sharedHeaders)
      .header('cache-control', `public, max-age=${metadataAgeSeconds}`)
      .send(describe(parts.links.publicUrl)),
  );
  addPreflight(server, path, ['GET'], sharedHeaders);
  refuseOtherMethods(server, path, new Set(['GET', 'HEAD']));
}

/** Browsers go there by themselves, without CORS. HEAD would begin an authorization that nobody ends. */
function addAuthorization(door: Door): void {
  const { server, parts } = door;
  const options = { exposeHeadRoute: false, onRequest: admit(parts, 'oauth_authorize') };
  server.get(authorizePath, options, async (request, reply) => {
    const query = new URLSearchParams(request.url.split('?').slice(1).join('?'));
    const path = `${authorizePath}?${normaliseAuthorization(query, parts.links.publicUrl)}`;
    return pass(door, request, reply, { method: 'GET', path });
  });
  const config = { secretInPath: true } as const;
  server.get(`${authorizePath}/:uid`, { ...options, config }, async (request, reply) =>
    pass(door, request, reply, { method: 'GET', path: request.url }),
  );
  refuseOtherMethods(server, authorizePath, new Set(['GET']));
  refuseOtherMethods(server, `${authorizePath}/:uid`, new Set(['GET']));
}

function addToken(door: Door): void {
  addEndpoint(door, tokenPath, {
    operation: 'oauth_token',
    type: form,
    write: (request) => normaliseTokenRequest(readForm(request), door.parts.links.publicUrl).toString(),
  });
}

function addRevocation(door: Door): void {
  addEndpoint(door, revokePath, {
    operation: 'oauth_revoke',
    type: form,
    write: (request) => readForm(request).toString(),
  });
}

function addRegistration(door: Door): void {
  const { server, parts } = door;
  const registrations = createSharedTries(parts, registrationsAnHour);
  addEndpoint(door, registerPath, {
    operation: 'oauth_register',
    type: 'application/json',
    async write(request) {
      const waitSeconds = await registrations.take(networkOf(request.ip), parts.clock.now());
      if (waitSeconds > 0) throw tooMany('Too many clients were registered from this address', waitSeconds);
      return JSON.stringify(normaliseRegistration(readJson(request)));
    },
  });
  const client = `${registerPath}/:client`;
  server.get(client, { onRequest: admit(parts, 'oauth_register') }, async (request, reply) =>
    pass(door, request, allowAnyOrigin(reply, sharedHeaders), { method: 'GET', path: request.url }, 'application/json'),
  );
  refuseOtherMethods(server, client, new Set(['GET', 'HEAD']));
}

interface Endpoint {
  readonly operation: string;
  /** Of the body that `write` makes for the provider from the one that was sent. */
  readonly type: string;
  write(request: FastifyRequest): string | Promise<string>;
}

/** One that programs post to. */
function addEndpoint(door: Door, path: string, { operation, type, write }: Endpoint): void {
  const { server, parts } = door;
  server.post(path, { onRequest: admit(parts, operation) }, async (request, reply) => {
    allowAnyOrigin(reply, sharedHeaders);
    const body = await write(request);
    return pass(door, request, reply, { method: 'POST', path, body }, type);
  });
  addPreflight(server, path, ['POST'], sharedHeaders);
  refuseOtherMethods(server, path, new Set(['POST']));
}

function admit(parts: Parts, operation: string) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.operation = operation;
    reply.headers(takeRequests(parts.rateLimiter, undefined, request.ip, 1, parts.clock.now()));
  };
}

/** @param type of a body for programs; left out: a person's browser asks, with its cookies. */
async function pass(
  { parts, openProvider }: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: Pick<ProviderRequest, 'method' | 'path' | 'body'>,
  type?: string,
): Promise<FastifyReply> {
  const { accept, authorization } = request.headers;
  const headers =
    type === undefined
      ? { accept, 'accept-language': request.headers['accept-language'], cookie: providerCookies(request.headers) }
      : { accept: 'application/json', authorization, 'content-type': type };
  const provider = await openProvider();
  const answer = await askProvider(provider, parts.links.publicUrl, { ...asked, headers, address: request.ip });
  return send(reply, answer);
}

function sendError(parts: Parts, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const told = toOauthError(error);
  if (told.status >= 500) parts.log.error({ request_id: request.id, err: error }, 'OAuth request failed');
  if (error instanceof RateLimited) reply.headers(error.headers);
  if (told.retryAfterSeconds !== undefined) reply.header('retry-after', String(Math.ceil(told.retryAfterSeconds)));
  return allowAnyOrigin(reply, sharedHeaders)
    .code(told.status)
    .header('cache-control', 'no-store')
    .send({ error: told.code, error_description: told.message });
}

function send(reply: FastifyReply, { status, headers, body }: ProviderAnswer): FastifyReply {
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .send(body);
}

/** @throws {OauthError} */
function readForm(request: FastifyRequest): URLSearchParams {
  if (!request.headers['content-type']?.toLowerCase().startsWith(form)) {
    throw new OauthError(400, 'invalid_request', `Send the body as ${form}`);
  }
  return new URLSearchParams(String(request.body ?? ''));
}

/** @throws {OauthError} */
function readJson(request: FastifyRequest): unknown {
  try {
    return JSON.parse(String(request.body ?? ''));
  } catch {
    throw new OauthError(400, 'invalid_client_metadata', 'The body is not valid JSON');
  }
}

function tooMany(description: string, waitSeconds: number): OauthError {
  return new OauthError(429, 'temporarily_unavailable', `${description}; wait ${waitSeconds} s`, waitSeconds);
}

function toOauthError(error: unknown): OauthError {
  if (error instanceof OauthError) return error;
  const known = toAppError(error);
  const code =
    known.status >= 500 ? 'server_error' : known.status === 429 ? 'temporarily_unavailable' : 'invalid_request';
  const words =
    known.code === 'payload_too_large' ? `The body is larger than ${bodyLimitBytes / 1024} KiB` : known.message;
  return new OauthError(known.status, code, words, known.retryAfterSeconds);
}
