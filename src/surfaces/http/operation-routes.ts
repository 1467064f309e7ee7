import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import { checkAccess } from '../../operation/access.ts';
import type { Operation } from '../../operation/operation.ts';
import { perform } from '../../operation/perform.ts';
import { prefersCsv } from './accept.ts';
import { admit } from './admit.ts';
import { addPreflight, allowAnyOrigin } from './cors.ts';
import { refuseOtherMethods } from './refuse-methods.ts';
import { routeHooks } from './route-hooks.ts';
import { goneSignal, sendStream } from './stream-answer.ts';

export interface RouteOptions {
  parts: Parts;
  operations: readonly Operation[];
}

/** A route per operation, and a 405 for every other method at the same paths. */
export function addOperationRoutes(server: FastifyInstance, { parts, operations }: RouteOptions): void {
  // Streams never end by themselves; a server that closes would wait for them.
  const closing = new AbortController();
  server.addHook('preClose', async () => closing.abort());

  for (const operation of operations) {
    server.route({
      method: operation.method,
      url: routePath(operation.path),
      ...routeHooks(
        (request, reply) => {
          request.operation = operation.name;
          if (isForAnyPage(operation)) allowAnyOrigin(reply);
          return admit(parts, operation, request, reply);
        },
        (request, reply) => handle(operation, request, reply),
      ),
    });
  }

  async function handle(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const wantsCsv = hasCsv(operation) && prefersCsv(request.headers.accept);
    if (hasCsv(operation)) reply.header('vary', 'accept');
    const isStream = operation.answer.kind === 'stream' || wantsCsv;
    const signal = isStream ? goneSignal(reply, closing.signal, parts.stopping) : parts.stopping;
    const answer = await perform(
      operation,
      parts,
      { caller: request.caller, requestId: request.id, address: request.ip, log: parts.log, signal, source: 'api' },
      {
        params: request.params as Record<string, string>,
        query: request.query as Record<string, unknown>,
        body: request.body ?? {},
        idempotencyKey: headerText(request.headers['idempotency-key']),
        lastEventId: headerText(request.headers['last-event-id']),
        ifNoneMatch: headerText(request.headers['if-none-match']),
        wantsCsv,
        accessToken: headerText(request.headers['x-access-token']),
        fromBrowser: request.headers.origin !== undefined,
      },
    );
    if (isStream && request.method === 'GET') {
      const stillMay = async () =>
        checkAccess(operation, await parts.authenticator.authenticate(request.headers.authorization, request.ip));
      sendStream(reply, answer, stillMay, wantsCsv);
      return;
    }
    reply.code(answer.status).headers({ 'cache-control': 'no-store', ...answer.headers });
    if (answer.mediaType) reply.type(answer.mediaType);
    // How long a stream would be is not known; to HEAD, no body at all says that it is empty.
    if (isStream) reply.send(Readable.from([]));
    else reply.send(answer.mediaType === undefined ? undefined : (answer.bytes ?? answer.body));
  }

  for (const [path, methods] of methodsByPath(operations)) {
    if (operations.some((operation) => operation.path === path && isForAnyPage(operation))) {
      addPreflight(server, routePath(path), methods);
    }
    refuseOtherMethods(server, routePath(path), methods);
  }
}

const hasCsv = ({ answer }: Operation): boolean => answer.kind === 'list' && answer.csv === true;

/** Whether a web page of anybody's may call it. */
function isForAnyPage({ access }: Operation): boolean {
  return access.publishable === true || access.public === true;
}

/** `{id}` in our paths is `:id` in the router's. */
function routePath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function methodsByPath(operations: readonly Operation[]): Map<string, Set<string>> {
  const paths = new Map<string, Set<string>>();
  for (const { path, method } of operations) {
    const methods = paths.get(path) ?? new Set();
    methods.add(method);
    // Fastify answers HEAD wherever there is GET.
    if (method === 'GET') methods.add('HEAD');
    paths.set(path, methods);
  }
  return paths;
}
