import type { Handle } from '../db/database.ts';
import { revokeKeysOfUser } from '../store/device-keys.ts';
import { endOauthConnections } from '../store/oauth-connections.ts';
import { endInvitationsOf } from '../store/user-links.ts';
import { deleteMembership, lockUser } from '../store/users.ts';

/**
 * Takes somebody's place at a merchant away, or the invitation to one; their devices and assistants stop working there.
 * @returns whether it was a place, and how many keys stopped; undefined when there was neither place nor invitation.
 */
export async function takePlaceAway(
  tx: Handle,
  { userId, merchantId, now }: { userId: string; merchantId: string; now: Date },
): Promise<{ hadPlace: boolean; keys: number } | undefined> {
  // A key or a connection that is being made is there to be ended, or finds no place any more.
  await lockUser(tx, userId);
  const hadPlace = await deleteMembership(tx, userId, merchantId);
  const invitations = await endInvitationsOf(tx, userId, merchantId, now);
  if (!hadPlace && invitations === 0) return undefined;
  const keys = await revokeKeysOfUser(tx, userId, merchantId, now);
  await endOauthConnections(tx, { userId, merchantId }, now);
  return { hadPlace, keys };
}
