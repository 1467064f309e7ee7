import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import type { Caller } from '../../kernel/context.ts';
import { takeRequests } from '../../limits/request-limits.ts';
import { checkAccess, type Guarded } from '../../operation/access.ts';

/**
 * Lets a request in, or not: who it is, how many they may send, what they may do. Runs before the body is read: a
 * stranger's megabyte is not parsed, and a missing key is 401 whatever the body holds.
 * @throws {AppError} 401, 403, 429.
 */
export async function admit(
  parts: Parts,
  operation: Guarded,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const now = parts.clock.now();
  const take = (caller: Caller | undefined) => takeRequests(parts.rateLimiter, caller, request.ip, 1, now);
  if (operation.access.public) {
    reply.headers(take(undefined));
    return;
  }
  let caller: Caller | undefined;
  try {
    caller = await parts.authenticator.authenticate(request.headers.authorization, request.ip);
  } catch (error) {
    // Who guesses keys is a stranger, and counts as one.
    reply.headers(take(undefined));
    throw error;
  }
  reply.headers(take(caller));
  request.caller = checkAccess(operation, caller);
  request.credentialId = request.caller.credentialId;
  parts.usage.count(request.credentialId, 1, now);
}
