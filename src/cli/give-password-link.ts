import type { Command } from 'commander';
import { givePasswordLink } from '../flows/new-password.ts';
import { queueLetter } from '../flows/queue-mail.ts';
import { recordAccountAudit } from '../flows/record-audit.ts';
import { passwordLetter } from '../surfaces/user-links/words.ts';
import { addCommand, withParts } from './command.ts';
import { requireUserForOperator } from './find-user.ts';
import { readEmail } from './option-values.ts';
import { addLinkOptions, type LinkOptions, linkJson, linkText } from './user-link-text.ts';

export function addGivePasswordLink(group: Command): void {
  const command = addCommand(
    group,
    'password-link',
    'Print a link with which somebody sets a new password, and send it where SMTP_URL is set; one from before ends',
    'user password-link ada@example.com',
    'user password-link ada@example.com --no-mail',
  ).argument('<email>', 'address they sign in with', readEmail);
  addLinkOptions(command).action(
    withParts<LinkOptions>(async ({ parts }, options, typed) => {
      const { id, email } = await requireUserForOperator(parts.db, typed);
      const now = parts.clock.now();
      const { link, isMailed } = await parts.db.transaction(async (tx) => {
        const link = await givePasswordLink(tx, parts, id, now);
        const letter = passwordLetter(options.language);
        const isMailed = options.mail && (await queueLetter(tx, parts, { to: email, letter, link: link.url }, now));
        await recordAccountAudit(tx, { userId: id, action: 'create_password_link', now });
        return { link, isMailed };
      });
      return {
        json: { object: 'password_link', user_id: id, email, ...linkJson(link, isMailed) },
        text: `A new password for ${email} is set here:\n${linkText(email, link, isMailed)}`,
      };
    }),
  );
}
