import type { Transaction } from '../db/database.ts';
import { revokeAllKeysOfUser } from '../store/device-keys.ts';
import { endOauthConnections } from '../store/oauth-connections.ts';
import { revokeUserSessions } from '../store/user-sessions.ts';
import { lockUser } from '../store/users.ts';
import type { Parts } from './parts.ts';

/**
 * Signs somebody out everywhere: every sign-in ends, and the keys of all their devices and the tokens of all assistants
 * they connected stop working, at every merchant.
 * @returns how many there were of each.
 */
export async function signOutEverywhere(
  tx: Transaction,
  { authenticator }: Pick<Parts, 'authenticator'>,
  userId: string,
  now: Date,
): Promise<{ signIns: number; keys: number; assistants: number }> {
  // Whoever is on the way in comes before, and is out with the rest, or after, and finds that their way has ended.
  await lockUser(tx, userId);
  const signIns = await revokeUserSessions(tx, userId, now);
  const keys = await revokeAllKeysOfUser(tx, userId, now);
  const assistants = (await endOauthConnections(tx, { userId }, now)).length;
  tx.afterCommit(() => authenticator.forget());
  return { signIns, keys, assistants };
}
