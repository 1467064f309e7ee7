import type { Command } from 'commander';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import { takePlaceAway } from '../flows/take-place-away.ts';
import { findUserByEmail } from '../store/users.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { readEmail, readId } from './option-values.ts';
import { counted } from './output.ts';

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
          const gone = await takePlaceAway(tx, { userId: user.id, merchantId: merchant.id, now });
          if (!gone) return undefined;
          await recordOperatorAudit(tx, { merchantId: merchant.id, action: 'remove_user', subjectId: user.id, now });
          return gone;
        });
        if (!gone)
          throw new CliFailure(`${email} has no place at ${merchant.name}. "satline user list" shows who has.`);
        const place = gone.hadPlace ? 'has no place' : 'is not invited';
        return {
          json: { email, merchant_id: merchant.id, revoked_keys: gone.keys },
          text: `${email} ${place} at ${merchant.name} any more; ${counted(gone.keys, 'key')} stopped working.`,
        };
      }),
    );
}
