import { type Handle, statement } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { deviceIdleDays } from '../model/user.ts';
import type { ApiKeyRow } from './api-keys.ts';

const revokeDevice = statement(
  'api_keys_revoke_device',
  `update api_keys set revoked_at = $5
    where user_id = $1 and merchant_id = $2 and livemode = $3 and device_name = $4
      and (revoked_at is null or revoked_at > $5)`,
);
const revokeUser = statement(
  'api_keys_revoke_user',
  `update api_keys set revoked_at = $3
    where user_id = $1 and merchant_id = $2 and (revoked_at is null or revoked_at > $3)`,
);
const revokeEverywhere = statement(
  'api_keys_revoke_everywhere',
  'update api_keys set revoked_at = $2 where user_id = $1 and (revoked_at is null or revoked_at > $2)',
);
const listDevices = statement(
  'api_keys_list_devices',
  `select id, merchant_id, livemode, device_name, last_used_at, created_at from api_keys
    where user_id = $1 and device_name is not null and (revoked_at is null or revoked_at > $2)
      and greatest(last_used_at, created_at) >= $2::timestamptz - interval '${deviceIdleDays} days'
    order by created_at, id`,
);
const userOf = statement('api_keys_user_of', 'select user_id from api_keys where id = $1');
const markDevice = statement(
  'api_keys_mark_device',
  'update api_keys set user_id = $2, device_name = $3 where id = $1',
);

/** The keys that somebody's device has for a merchant stop working. */
export async function revokeDeviceKeys(
  tx: Handle,
  userId: string,
  scope: Scope,
  deviceName: string,
  now: Date,
): Promise<void> {
  await tx.run(revokeDevice, [userId, scope.merchantId, scope.livemode, deviceName, now]);
}

/** All device keys of somebody at a merchant stop working. @returns how many did. */
export function revokeKeysOfUser(tx: Handle, userId: string, merchantId: string, now: Date): Promise<number> {
  return tx.run(revokeUser, [userId, merchantId, now]);
}

/** All device keys of somebody, at every merchant, stop working. @returns how many did. */
export function revokeAllKeysOfUser(tx: Handle, userId: string, now: Date): Promise<number> {
  return tx.run(revokeEverywhere, [userId, now]);
}

export type DeviceKeyRow = Pick<ApiKeyRow, 'id' | 'merchant_id' | 'livemode' | 'last_used_at' | 'created_at'> & {
  device_name: string;
};

/** The keys of somebody's devices that work, at every merchant, for the operator. */
export function listDeviceKeysOfUser(db: Handle, userId: string, now: Date): Promise<DeviceKeyRow[]> {
  return db.many(listDevices, [userId, now]);
}

/** Whose device a key belongs to; null for keys of no device. */
export async function findUserOfKey(db: Handle, id: string): Promise<string | null> {
  return (await db.maybeOne<{ user_id: string | null }>(userOf, [id]))?.user_id ?? null;
}

/** Makes a new key that of a device. */
export async function markDeviceKey(tx: Handle, id: string, userId: string, deviceName: string): Promise<void> {
  await tx.run(markDevice, [id, userId, deviceName]);
}
