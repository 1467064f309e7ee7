import type { Command } from 'commander';
import { revokeAllKeysOfUser } from '../store/api-keys.ts';
import { revokeUserSessions } from '../store/user-sessions.ts';
import { findUserByEmail } from '../store/users.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { readEmail } from './option-values.ts';

export function addSignOutUser(group: Command): void {
  addCommand(
    group,
    'sign-out',
    'Sign somebody out everywhere: sign-ins end and the keys of all their devices stop working',
    'user sign-out ada@example.com',
  )
    .argument('<email>', 'address they sign in with', readEmail)
    .action(
      withParts<Record<string, never>>(async ({ parts }, _options, email) => {
        const user = await findUserByEmail(parts.db, email);
        if (!user) throw new CliFailure(`Nobody signs in as ${email}. "satline user list" shows who does.`);
        const now = parts.clock.now();
        const ended = await parts.db.transaction(async (tx) => ({
          sign_ins: await revokeUserSessions(tx, user.id, now),
          revoked_keys: await revokeAllKeysOfUser(tx, user.id, now),
        }));
        return {
          json: { email, ...ended },
          text: `${email} is signed out: ${ended.sign_ins} sign-ins ended, ${ended.revoked_keys} keys stopped working.`,
        };
      }),
    );
}
