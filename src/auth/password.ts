import { hash, verify } from '@node-rs/argon2';

/** OWASP's setting for argon2id (RFC 9106): 19 MiB, two passes. */
const settings = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Hashing fills a core; more at once would only make sales wait. */
const mostAtOnce = 2;

let running = 0;
const waiting: (() => void)[] = [];
let standIn: Promise<string> | undefined;

/** argon2id in PHC form. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, settings));
}

/** Takes the same time when there is nothing to compare with, so that nobody learns which addresses have an account. */
export async function checkPassword(passwordHash: string | null | undefined, password: string): Promise<boolean> {
  standIn ??= hashPassword('there is no such account');
  const expected = passwordHash ?? (await standIn);
  const isRight = await inTurn(() => verify(expected, password));
  return isRight && passwordHash != null;
}

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running < mostAtOnce) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    // The place goes to whoever waits longest: nobody who comes meanwhile may slip in.
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
