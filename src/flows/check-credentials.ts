import { checkPassword } from '../auth/password.ts';
import { addSeconds } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import { nilUuid } from '../kernel/ids.ts';
import { networkOf } from '../limits/network-of.ts';
import { lockSeconds, mostWrongPasswords, type UserRow } from '../model/user.ts';
import { countWrongPassword, findUserByEmail, resetWrongPasswords } from '../store/users.ts';
import type { Parts } from './parts.ts';
import { spendCode } from './spend-code.ts';

/** Where a try comes from. */
export interface TrySource {
  /** Tries are counted for its network. */
  address: string;
  /** For the audit log. */
  requestId: string;
}

export interface PasswordTry extends TrySource {
  email: string;
  password: string;
}

/** Stands for an account where there is none, so that as much is done for an unknown address as for a known one. */
const nobody = nilUuid;

/**
 * Finds out whose e-mail address and password these are, and the code of the second factor where they have one.
 * @throws {AppError} as `checkPasswordTry()`; 401 also for a code that is missing, wrong or used.
 */
export async function checkCredentials(
  parts: Parts,
  credentials: PasswordTry & { code: string | undefined },
): Promise<UserRow> {
  const user = await checkPasswordTry(parts, credentials);
  if (user.has_second_factor) {
    if (credentials.code === undefined) {
      throw new AppError('invalid_token', 'This account has a second factor: send the code of its app as otp');
    }
    await checkCode(parts, user, credentials.code, credentials.requestId);
  }
  await forgetTries(parts, user);
  return user;
}

/**
 * The first half: e-mail address and password. An unknown address and a wrong password look and take the same; a locked
 * account says so only to who knows the password. Tries stay counted until `forgetTries()`.
 * @throws {AppError} 401, 423 while locked, 429 after too many tries for this account or from this address.
 */
export async function checkPasswordTry(parts: Parts, { email, password, ...source }: PasswordTry): Promise<UserRow> {
  const account = email.trim().toLowerCase();
  // Everything when it is their turn: a wave asks the database for nothing at once, and a password that was changed while
  // they waited opens nothing any more.
  const { user, isRight } = await parts.passwordTurns.take(source.address, async () => {
    await takeTry(parts, account, source);
    const user = await findUserByEmail(parts.db, account);
    return { user, isRight: await checkPassword(user?.password_hash, password) };
  });
  if (!user || !isRight) {
    await countFailure(parts, user?.id ?? nobody);
    throw new AppError('invalid_token', 'The e-mail address or the password is wrong');
  }
  refuseLocked(user, parts.clock.now());
  return user;
}

/**
 * The second half: a code of the app, or a recovery code, of somebody whose password was right. Wrong codes are counted
 * with wrong passwords, and knowing the password takes none of them back: else it would be all that guessing needs.
 * @throws {AppError} 401.
 */
export async function checkCode(parts: Parts, user: UserRow, code: string, requestId: string): Promise<void> {
  const isRight = await parts.db.transaction((tx) => spendCode(tx, parts, { userId: user.id, code, requestId }));
  if (isRight) return;
  await countFailure(parts, user.id);
  throw new AppError('invalid_token', 'The code of the second factor is wrong or was used before');
}

/** Counts a try before it is looked at. @throws {AppError} 429. */
export async function takeTry(
  { signInTries, clock }: Parts,
  account: string,
  { address }: Pick<TrySource, 'address'>,
): Promise<void> {
  const now = clock.now();
  const waitSeconds = Math.max(
    ...(await Promise.all([
      signInTries.byAccount.take(account.toLowerCase(), now),
      signInTries.byAddress.take(networkOf(address), now),
    ])),
  );
  if (waitSeconds > 0) {
    throw new AppError('rate_limited', 'Too many sign-ins were tried; wait before trying again', {
      retryAfterSeconds: waitSeconds,
    });
  }
}

/** @throws {AppError} 423 while an account is locked. */
export function refuseLocked({ locked_until: until }: UserRow, now: Date): void {
  if (!until || until <= now) return;
  throw new AppError('locked', 'This account is locked after too many wrong passwords; try again later', {
    retryAfterSeconds: Math.ceil((until.getTime() - now.getTime()) / 1000),
  });
}

/** After somebody has shown all that is asked of them. */
export async function forgetTries(parts: Parts, user: UserRow): Promise<void> {
  await resetWrongPasswords(parts.db, user.id);
  await parts.signInTries.byAccount.forget(user.email.toLowerCase());
}

function countFailure(parts: Parts, userId: string): Promise<void> {
  return countWrongPassword(parts.db, userId, mostWrongPasswords, addSeconds(parts.clock.now(), lockSeconds));
}
