import type { FastifyReply, FastifyRequest } from 'fastify';

type Doing<Outcome> = (request: FastifyRequest, reply: FastifyReply) => Outcome;

/**
 * How a route lets in and answers without leaving a promise to the framework, which would wait for it, and then for what it
 * answered: busy routes feel that.
 * @param admit gives a promise only where it has to wait.
 */
export function routeHooks(admit: Doing<undefined | Promise<unknown>>, answer: Doing<Promise<unknown>>) {
  return {
    onRequest(request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void {
      const admitted = admit(request, reply);
      if (admitted) admitted.then(() => done(), done);
      else done();
    },
    handler(request: FastifyRequest, reply: FastifyReply): void {
      answer(request, reply).catch((error) => reply.send(asError(error)));
    },
  };
}

/** The framework sends whatever is no `Error` as if it were an answer. */
function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error('Something else than an error was thrown', { cause: thrown });
}
