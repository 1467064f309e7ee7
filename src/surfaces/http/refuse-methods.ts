import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { AppError } from '../../kernel/errors.ts';
import { allowAnyOrigin } from './cors.ts';

/** Methods that may work somewhere, or are often tried. Any other is refused whatever the address is. */
export const allMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Every method at a path that has none of its own is 405 and names those that work (RFC 9110, 15.5.6). */
export function refuseOtherMethods(server: FastifyInstance, url: string, methods: ReadonlySet<string>): void {
  const allowed = [...methods].join(', ');
  // Where web pages may call, their preflight is answered already; they may read this answer as well.
  const isForAnyPage = server.hasRoute({ method: 'OPTIONS', url });
  const refuse = async (_request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    if (isForAnyPage) allowAnyOrigin(reply);
    reply.header('allow', allowed);
    throw new AppError('method_not_allowed', `Only ${allowed} ${methods.size === 1 ? 'works' : 'work'} here`);
  };
  const isFree = (method: HTTPMethods) => !methods.has(method) && !server.hasRoute({ method, url });
  server.route({
    method: allMethods.filter(isFree),
    url,
    // Who has the address of a page may act, also where the method is wrong.
    config: { secretInPath: true },
    // Before the body is read, which may be wrong as well.
    onRequest: refuse,
    handler: refuse,
  });
}
