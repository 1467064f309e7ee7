import type { Handle } from '../db/database.ts';
import type { Role } from '../model/user.ts';
import { revokeKeysOfUser } from '../store/device-keys.ts';
import { endOauthConnections } from '../store/oauth-connections.ts';
import { listMembershipsOf, lockUser, putMembership } from '../store/users.ts';

/**
 * Gives somebody a place at a merchant, or another role there. With another role the keys of their devices and the
 * assistants they connected stop working: those have the rights of the old one.
 */
export async function giveRole(
  tx: Handle,
  place: { userId: string; merchantId: string; role: Role; now: Date },
): Promise<void> {
  const { userId, merchantId, role, now } = place;
  // A key or a connection that is being made with the old role is there to be ended, or waits for the new one.
  await lockUser(tx, userId);
  const before = (await listMembershipsOf(tx, userId)).find((one) => one.merchant_id === merchantId);
  await putMembership(tx, userId, merchantId, role, now);
  if (!before || before.role === role) return;
  await revokeKeysOfUser(tx, userId, merchantId, now);
  await endOauthConnections(tx, { userId, merchantId }, now);
}
