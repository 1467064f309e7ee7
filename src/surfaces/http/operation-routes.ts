import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { AppError } from '../../kernel/errors.ts';
import type { Operation } from '../../operation/operation.ts';
import { perform } from '../../operation/perform.ts';
import type { HttpOptions } from './server.ts';

const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A route per operation, and a 405 for every other method at the same paths. */
export function addOperationRoutes(server: FastifyInstance, { parts, operations }: HttpOptions): void {
  for (const operation of operations) {
    server.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      handler: (request, reply) => handle(operation, request, reply),
    });
  }

  async function handle(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    request.operation = operation.name;
    const caller = await parts.authenticator.authenticate(request.headers.authorization, request.ip);
    if (caller) request.credentialId = caller.credentialId;
    const answer = await perform(
      operation,
      parts,
      { caller, requestId: request.id, log: parts.log, signal: parts.stopping, source: 'api' },
      {
        params: request.params as Record<string, string>,
        query: request.query as Record<string, unknown>,
        body: request.body ?? {},
        idempotencyKey: headerText(request.headers['idempotency-key']),
      },
    );
    reply.code(answer.status).headers(answer.headers).header('cache-control', 'no-store');
    if (answer.mediaType) reply.type(answer.mediaType);
    return reply.send(answer.mediaType === undefined ? undefined : answer.body);
  }

  for (const [path, methods] of methodsByPath(operations)) {
    server.route({
      method: allMethods.filter((method) => !methods.has(method)) as HTTPMethods[],
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      handler: (_request, reply) => {
        reply.header('allow', [...methods].join(', '));
        throw new AppError('method_not_allowed', `Only ${[...methods].join(', ')} work here`);
      },
    });
  }
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
