import type { Command } from 'commander';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import { revokeKeysOfUser } from '../store/device-keys.ts';
import { endOauthConnections } from '../store/oauth-connections.ts';
import { endInvitationsOf } from '../store/user-links.ts';
import { deleteMembership, findUserByEmail } from '../store/users.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { readEmail, readId } from './option-values.ts';

export function addRemoveUser(group: Command): void {
  addCommand(
    group,
    'remove',
    'Take somebody’s place at a merchant away, or an invitation to one; their devices and assistants stop working',
    'user remove ada@example.com',
  )
    .argument('<email>', 'address they sign in with', readEmail)
    .option('--merchant <id>', 'where; may be left out when there is one merchant', readId)
    .action(
      withParts<{ merchant?: string }>(async ({ parts }, options, email) => {
        const merchant = await chooseMerchant(parts.db, options.merchant);
        const user = await findUserByEmail(parts.db, email);
        const gone = await parts.db.transaction(async (tx) => {
          if (!user) return undefined;
          const now = parts.clock.now();
          const hadPlace = await deleteMembership(tx, user.id, merchant.id);
          const invitations = await endInvitationsOf(tx, user.id, merchant.id, now);
          if (!hadPlace && invitations === 0) return undefined;
          const keys = await revokeKeysOfUser(tx, user.id, merchant.id, now);
          await endOauthConnections(tx, { userId: user.id, merchantId: merchant.id }, now);
          await recordOperatorAudit(tx, { merchantId: merchant.id, action: 'remove_user', subjectId: user.id, now });
          return { keys, hadPlace };
        });
        if (!gone)
          throw new CliFailure(`${email} has no place at ${merchant.name}. "satline user list" shows who has.`);
        const place = gone.hadPlace ? 'has no place' : 'is not invited';
        return {
          json: { email, merchant_id: merchant.id, revoked_keys: gone.keys },
          text: `${email} ${place} at ${merchant.name} any more; ${gone.keys} keys stopped working.`,
        };
      }),
    );
}
