import { type Command, Option } from 'commander';
import { hashPassword } from '../auth/password.ts';
import { giveRole } from '../flows/give-role.ts';
import { replacePassword } from '../flows/new-password.ts';
import { recordAccountAudit, recordOperatorAudit } from '../flows/record-audit.ts';
import { newId, randomLegible } from '../kernel/ids.ts';
import { type Role, roles } from '../model/user.ts';
import { endInvitationsOf } from '../store/user-links.ts';
import { findUserByEmail, insertUser } from '../store/users.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { readEmail, readId, readName } from './option-values.ts';

interface Options {
  merchant?: string;
  role: Role;
  name?: string;
  resetPassword?: true;
}

export function addAddUser(group: Command): void {
  addCommand(
    group,
    'add',
    'Give somebody a place at a merchant, and print a password for a new account, once',
    'user add ada@example.com --role cashier',
    'user add ada@example.com --merchant ID --role manager --name "Ada" --reset-password',
  )
    .argument('<email>', 'address to sign in with', readEmail)
    .option('--merchant <id>', 'where; may be left out when there is one merchant', readId)
    .addOption(new Option('--role <role>', 'what they may do').choices(roles).default('owner'))
    .option('--name <name>', 'what to call them', readName)
    .option('--reset-password', 'print a new password for an account that is there, and sign it out everywhere')
    .action(
      withParts<Options>(async ({ parts }, options, email) => {
        const merchant = await chooseMerchant(parts.db, options.merchant);
        const now = parts.clock.now();
        const known = await findUserByEmail(parts.db, email);
        // Who was invited and has not accepted has none yet.
        const keeps = known !== undefined && known.password_hash !== null && !options.resetPassword;
        const password = keeps ? undefined : randomLegible(20);
        const hash = password && (await hashPassword(password));
        const id = known?.id ?? newId();
        await parts.db.transaction(async (tx) => {
          if (!known) await insertUser(tx, { id, email, name: options.name ?? null, passwordHash: hash!, now });
          else if (hash) await replacePassword(tx, parts, id, hash, now);
          await endInvitationsOf(tx, id, merchant.id, now);
          await giveRole(tx, { userId: id, merchantId: merchant.id, role: options.role, now });
          if (known && hash) await recordAccountAudit(tx, { userId: id, action: 'set_password', now });
          await recordOperatorAudit(tx, { merchantId: merchant.id, action: 'add_user', subjectId: id, now });
        });
        const secret = password === undefined ? '' : `\n\n  ${password}\n\nKeep it now: Satline stores only a hash.`;
        return {
          json: {
            object: 'user',
            id,
            email,
            merchant_id: merchant.id,
            role: options.role,
            ...(password ? { password } : {}),
          },
          text: `${email} is ${options.role} at ${merchant.name}.${secret}`,
        };
      }),
    );
}
