import { type Command, Option } from 'commander';
import { inviteUser } from '../flows/invite-user.ts';
import { queueLetter } from '../flows/queue-mail.ts';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import { AppError } from '../kernel/errors.ts';
import { type Role, roles } from '../model/user.ts';
import { invitationLetter } from '../surfaces/user-links/words.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { readEmail, readId, readName } from './option-values.ts';
import { addLinkOptions, type LinkOptions, linkJson, linkText } from './user-link-text.ts';

interface Options extends LinkOptions {
  merchant?: string;
  role: Role;
  name?: string;
}

export function addInviteUser(group: Command): void {
  const command = addCommand(
    group,
    'invite',
    'Invite somebody to a merchant: print a link with which they choose their own password, and send it where SMTP_URL is set',
    'user invite ada@example.com --role cashier',
    'user invite ada@example.com --merchant ID --role manager --name "Ada" --language fr',
  )
    .argument('<email>', 'address to sign in with', readEmail)
    .option('--merchant <id>', 'where; may be left out when there is one merchant', readId)
    .addOption(new Option('--role <role>', 'what they may do').choices(roles).makeOptionMandatory())
    .option('--name <name>', 'what to call them', readName);
  addLinkOptions(command).action(
    withParts<Options>(async ({ parts }, options, typed) => {
      const { role, name = null } = options;
      const merchant = await chooseMerchant(parts.db, options.merchant);
      const now = parts.clock.now();
      const { userId, email, link, isMailed } = await parts.db
        .transaction(async (tx) => {
          const invited = await inviteUser(tx, parts, { email: typed, name, merchantId: merchant.id, role, now });
          const letter = invitationLetter(options.language, merchant.name, role);
          const isMailed =
            options.mail && (await queueLetter(tx, parts, { to: invited.email, letter, link: invited.link.url }, now));
          await recordOperatorAudit(tx, {
            merchantId: merchant.id,
            action: 'invite_user',
            subjectId: invited.userId,
            now,
          });
          return { ...invited, isMailed };
        })
        .catch((error: unknown) => {
          if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
          throw new CliFailure(`${error.message}. "satline user add ${typed} --role …" changes the role.`);
        });
      return {
        json: {
          object: 'invitation',
          user_id: userId,
          email,
          merchant_id: merchant.id,
          role,
          ...linkJson(link, isMailed),
        },
        text: `${email} is invited to ${merchant.name} as ${role}:\n${linkText(email, link, isMailed)}`,
      };
    }),
  );
}
