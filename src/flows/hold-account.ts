import type { Handle } from '../db/database.ts';
import { AppError } from '../kernel/errors.ts';
import type { UserRow } from '../model/user.ts';
import { lockUser } from '../store/users.ts';

/**
 * Locks the account of somebody whose password was right a moment ago. What the transaction writes then comes either
 * before a change of how the account is opened, which ends it with all the rest, or not at all.
 * @param checked as it was when the password was compared.
 * @throws {AppError} 401 when another password was set since, or a second factor was turned on that nobody asked for.
 */
export async function holdAccount(tx: Handle, checked: UserRow): Promise<void> {
  const user = await lockUser(tx, checked.id);
  const asksForMore = user?.has_second_factor && !checked.has_second_factor;
  if (!user || user.password_hash !== checked.password_hash || asksForMore) {
    throw new AppError('invalid_token', 'The account was changed meanwhile; sign in again');
  }
}
