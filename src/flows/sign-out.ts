import type { Transaction } from '../db/database.ts';
import { revokeAllKeysOfUser } from '../store/api-keys.ts';
import { revokeUserSessions } from '../store/user-sessions.ts';
import type { Parts } from './parts.ts';

/**
 * Signs somebody out everywhere: every sign-in ends, and the keys of all their devices stop working, at every merchant.
 * @returns how many there were of each.
 */
export async function signOutEverywhere(
  tx: Transaction,
  { authenticator }: Pick<Parts, 'authenticator'>,
  userId: string,
  now: Date,
): Promise<{ signIns: number; keys: number }> {
  const signIns = await revokeUserSessions(tx, userId, now);
  const keys = await revokeAllKeysOfUser(tx, userId, now);
  tx.afterCommit(() => authenticator.forget());
  return { signIns, keys };
}
