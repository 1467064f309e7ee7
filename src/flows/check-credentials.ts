import { checkPassword } from '../auth/password.ts';
import { addSeconds } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import { networkOf } from '../limits/network-of.ts';
import { lockSeconds, mostWrongPasswords, type UserRow } from '../model/user.ts';
import { countWrongPassword, findUserByEmail, resetWrongPasswords } from '../store/users.ts';
import type { Parts } from './parts.ts';

export interface Credentials {
  email: string;
  password: string;
  /** Where they come from; tries are counted for its network. */
  address: string;
}

/**
 * Finds out whose e-mail address and password these are. An unknown address and a wrong password look and take the same;
 * a locked account says so only to who knows the password.
 * @throws {AppError} 401, 423 while locked, 429 after too many tries for this account or from this address.
 */
export async function checkCredentials(parts: Parts, credentials: Credentials): Promise<UserRow> {
  const now = parts.clock.now();
  const account = credentials.email.trim().toLowerCase();
  const waitSeconds = Math.max(
    parts.signInTries.byAccount.take(account, now),
    parts.signInTries.byAddress.take(networkOf(credentials.address), now),
  );
  if (waitSeconds > 0) {
    throw new AppError('rate_limited', 'Too many sign-ins were tried; wait before trying again', {
      retryAfterSeconds: waitSeconds,
    });
  }
  const user = await findUserByEmail(parts.db, account);
  const isRight = await checkPassword(user?.password_hash, credentials.password);
  if (!user || !isRight) {
    if (user) await countWrongPassword(parts.db, user.id, mostWrongPasswords, addSeconds(now, lockSeconds));
    throw new AppError('invalid_token', 'The e-mail address or the password is wrong');
  }
  if (user.locked_until && user.locked_until > now) {
    throw new AppError('locked', 'This account is locked after too many wrong passwords; try again later', {
      retryAfterSeconds: Math.ceil((user.locked_until.getTime() - now.getTime()) / 1000),
    });
  }
  await resetWrongPasswords(parts.db, user.id);
  parts.signInTries.byAccount.forget(account);
  return user;
}
