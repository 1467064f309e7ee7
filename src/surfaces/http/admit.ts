import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import type { Caller } from '../../kernel/context.ts';
import { takeRequests } from '../../limits/request-limits.ts';
import { checkAccess, type Guarded } from '../../operation/access.ts';

/**
 * Lets a request in, or not: who it is, how many they may send, what they may do. Runs before the body is read: a
 * stranger's megabyte is not parsed, and a missing key is 401 whatever the body holds. At once where the caller is
 * remembered.
 * @throws {AppError} 401, 403, 429.
 */
export function admit(
  parts: Parts,
  operation: Guarded,
  request: FastifyRequest,
  reply: FastifyReply,
): undefined | Promise<undefined> {
  if (operation.access.public) {
    countStranger(parts, request, reply);
    return undefined;
  }
  const letIn = (found: Caller | undefined): undefined => {
    const now = parts.clock.now();
    reply.headers(takeRequests(parts.rateLimiter, found, request.ip, 1, now));
    const caller = checkAccess(operation, found);
    request.caller = caller;
    request.credentialId = caller.credentialId;
    parts.usage.count(caller.credentialId, 1, now);
  };
  const found = identify(parts, request, reply);
  return found instanceof Promise ? found.then(letIn) : letIn(found);
}

/**
 * Who sends a request; undefined when no credential came with it. Who guesses one is a stranger, and counts as one.
 * @throws {AppError} 401, 403, 429.
 */
export function identify(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): Caller | undefined | Promise<Caller> {
  try {
    const found = parts.authenticator.authenticate(request.headers.authorization, request.ip);
    return found instanceof Promise ? found.catch(turnAway) : found;
  } catch (error) {
    return turnAway(error);
  }

  function turnAway(error: unknown): never {
    countStranger(parts, request, reply);
    throw error;
  }
}

/** One request of an address. @throws {RateLimited} 429. */
export function countStranger(parts: Parts, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(takeRequests(parts.rateLimiter, undefined, request.ip, 1, parts.clock.now()));
}
