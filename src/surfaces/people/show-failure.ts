import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode } from '../../kernel/errors.ts';
import type { Language } from '../pages/language.ts';
import { type Failure, refusalText } from './pages/refusal-page.tsx';

const ofTries: readonly ErrorCode[] = ['invalid_token', 'locked', 'rate_limited'];

/**
 * Why something that was typed was not taken, for the form that is shown again; the reply gets the status.
 * @param wrong what is said of wrong passwords and codes
 * @throws whatever has nothing to do with what was typed.
 */
export function readFailure(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  { wrong, language }: { wrong: string; language: Language },
): Failure {
  if (!(error instanceof AppError) || !ofTries.includes(error.code)) throw error;
  request.failure = error;
  reply.code(error.status);
  if (error.code === 'invalid_token') return { fault: wrong };
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  return { notice: refusalText(error, language) };
}
