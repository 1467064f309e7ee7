import type { Command } from 'commander';
import { recordAccountAudit } from '../flows/record-audit.ts';
import { signOutEverywhere } from '../flows/sign-out.ts';
import { addCommand, withParts } from './command.ts';
import { requireUserForOperator } from './find-user.ts';
import { readEmail } from './option-values.ts';
import { counted } from './output.ts';

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
        const user = await requireUserForOperator(parts.db, email);
        const now = parts.clock.now();
        const { signIns, keys, assistants } = await parts.db.transaction(async (tx) => {
          const ended = await signOutEverywhere(tx, parts, user.id, now);
          await recordAccountAudit(tx, { userId: user.id, action: 'sign_out_user', now });
          return ended;
        });
        return {
          json: { email: user.email, sign_ins: signIns, revoked_keys: keys, ended_connections: assistants },
          text: `${user.email} is signed out. Over now: ${counted(signIns, 'sign-in')}, ${counted(keys, 'device key')}, ${counted(assistants, 'connected assistant')}.`,
        };
      }),
    );
}
