import { hash } from '@node-rs/argon2';
import { AppError } from '../kernel/errors.ts';
import { PasswordThread } from './password-thread.ts';

/** OWASP's setting for argon2id (RFC 9106): 19 MiB, two passes. */
const settings = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Of a password that nobody knows, with the same settings. */
const standIn = '$argon2id$v=19$m=19456,t=2,p=1$ppA8cLGZoIKZXy0favO/8Q$OF0jd6Vq0Rr6e1e7BclPP93+Nd6n+aGwXgObnYptpSU';
/** Half a minute's work; who comes later would have gone before it is their turn. */
const mostWaiting = 500;

const thread = new PasswordThread();

/** argon2id in PHC form. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, settings);
}

/**
 * Takes the same time when there is nothing to compare with, so that nobody learns which addresses have an account. One at
 * a time, in a thread that steps back behind everything else: a wave of sign-ins must not make sales wait.
 * @throws {AppError} `rate_limited` when too many wait already, whoever they are.
 */
export async function checkPassword(passwordHash: string | null | undefined, password: string): Promise<boolean> {
  if (thread.waiting >= mostWaiting) {
    throw new AppError('rate_limited', 'Too many people are signing in at once; try again in a moment', {
      retryAfterSeconds: 10,
    });
  }
  const isRight = await thread.verify(passwordHash ?? standIn, password);
  return isRight && passwordHash != null;
}
