import type { Command } from 'commander';
import { endSignIn, listSignIns } from '../flows/browser-sign-in.ts';
import type { Parts } from '../flows/parts.ts';
import { recordAccountAudit, recordOperatorAudit } from '../flows/record-audit.ts';
import type { UserSession } from '../model/user-session.ts';
import { revokeApiKey } from '../store/api-keys.ts';
import { type DeviceKeyRow, listDeviceKeysOfUser } from '../store/device-keys.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { requireUserForOperator } from './find-user.ts';
import { readEmail, readId } from './option-values.ts';
import { table } from './output.ts';

export function addListUserSessions(group: Command): void {
  addCommand(
    group,
    'sessions',
    'Show where somebody is signed in, and the keys of their devices; or end one of these',
    'user sessions ada@example.com',
    'user sessions ada@example.com --revoke ID',
  )
    .argument('<email>', 'address they sign in with', readEmail)
    .option('--revoke <id>', 'a sign-in or device key that ends now, as the list shows it', readId)
    .action(
      withParts<{ revoke?: string }>(async ({ parts }, options, typed) => {
        const { id: userId, email } = await requireUserForOperator(parts.db, typed);
        const known = await findAll(parts, userId);
        if (options.revoke === undefined) return show(email, known);
        const one = known.find(({ id }) => id === options.revoke);
        if (!one) {
          throw new CliFailure(
            `${email} has no sign-in or device key ${options.revoke} that works. "satline user sessions ${email}" shows them.`,
          );
        }
        await revoke(parts, userId, one);
        return {
          json: { ...json(one), revoked_at: parts.clock.now().toISOString() },
          text:
            one.kind === 'key'
              ? `The key of ${one.name} is revoked. Running servers refuse it within 2 seconds.`
              : `The sign-in from ${one.name} is over.`,
        };
      }),
    );
}

/** A sign-in or a device key. */
interface Access {
  readonly kind: UserSession['kind'] | 'key';
  readonly id: string;
  readonly name: string;
  readonly merchantId: string | null;
  readonly livemode: boolean | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

async function findAll(parts: Parts, userId: string): Promise<Access[]> {
  const signIns = await listSignIns(parts, userId);
  const keys = await listDeviceKeysOfUser(parts.db, userId, parts.clock.now());
  return [...signIns.map(ofSignIn), ...keys.map(ofKey)];
}

const ofSignIn = ({ id, kind, device, created_at, last_used_at }: UserSession): Access => ({
  kind,
  id,
  name: device ?? (kind === 'web' ? 'a browser' : 'a device'),
  merchantId: null,
  livemode: null,
  createdAt: created_at,
  lastUsedAt: last_used_at,
});

const ofKey = (row: DeviceKeyRow): Access => ({
  kind: 'key',
  id: row.id,
  name: row.device_name,
  merchantId: row.merchant_id,
  livemode: row.livemode,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

async function revoke(parts: Parts, userId: string, { kind, id, merchantId, livemode }: Access): Promise<void> {
  const now = parts.clock.now();
  await parts.db.transaction(async (tx) => {
    if (kind === 'key') {
      const scope = { merchantId: merchantId!, livemode: livemode! };
      await revokeApiKey(tx, scope, id, now);
      await recordOperatorAudit(tx, { ...scope, action: 'revoke_api_token', subjectId: id, now });
    } else {
      await endSignIn({ ...parts, db: tx }, userId, id);
      await recordAccountAudit(tx, { userId, action: 'end_sign_in', now });
    }
  });
}

function show(email: string, all: Access[]) {
  const rows = all.map((one) => [
    one.id,
    { api: 'sign-in', web: 'browser', key: 'device key' }[one.kind],
    one.livemode === null ? '' : one.livemode ? 'live' : 'test',
    one.lastUsedAt?.toISOString() ?? 'never',
    one.name,
  ]);
  return {
    json: { object: 'list', data: all.map(json) },
    text:
      rows.length === 0 ? `${email} is signed in nowhere.` : table(['ID', 'WHAT', 'MODE', 'LAST USED', 'FROM'], rows),
  };
}

function json(one: Access) {
  return {
    object: one.kind === 'key' ? 'device_key' : 'sign_in',
    id: one.id,
    kind: one.kind,
    device_name: one.name,
    merchant_id: one.merchantId,
    livemode: one.livemode,
    created_at: one.createdAt.toISOString(),
    last_used_at: one.lastUsedAt?.toISOString() ?? null,
  };
}
