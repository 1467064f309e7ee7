import { type HashSettings, PasswordThread } from './password-thread.ts';

/** OWASP's setting for argon2id (RFC 9106): 19 MiB, two passes. */
const settings: HashSettings = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Of a password that nobody knows, with the same settings. */
const standIn = '$argon2id$v=19$m=19456,t=2,p=1$ppA8cLGZoIKZXy0favO/8Q$OF0jd6Vq0Rr6e1e7BclPP93+Nd6n+aGwXgObnYptpSU';

/** One for all, so that however many come, one processor at most is kept busy, behind everything else. */
const thread = new PasswordThread();

/** argon2id in PHC form. */
export function hashPassword(password: string): Promise<string> {
  return thread.hash(password, settings);
}

/** Takes the same time when there is nothing to compare with, so that nobody learns which addresses have an account. */
export async function checkPassword(passwordHash: string | null | undefined, password: string): Promise<boolean> {
  const isRight = await thread.verify(passwordHash ?? standIn, password);
  return isRight && passwordHash != null;
}
