import { type Command, Option } from 'commander';
import type { NewLink } from '../flows/user-link.ts';
import { type Language, languages } from '../surfaces/pages/language.ts';

/** Options of commands that hand out a link. */
export interface LinkOptions {
  language: Language;
  mail: boolean;
}

export function addLinkOptions(command: Command): Command {
  return command
    .addOption(new Option('--language <tag>', 'of the mail').choices(languages).default('en'))
    .option('--no-mail', 'print the link only, also where a mail server is set');
}

/** The link, and what to do with it. */
export function linkText(email: string, link: NewLink, isMailed: boolean): string {
  return [
    '',
    `  ${link.url.reveal()}`,
    '',
    isMailed
      ? `It is also on its way to ${email}, sent by the running server.`
      : `Give it to ${email} and to nobody else: whoever has it can use it.`,
    `It works once, until ${link.expiresAt.toISOString()}. Satline stores only a hash and cannot show it again.`,
  ].join('\n');
}

export function linkJson(link: NewLink, isMailed: boolean) {
  return { url: link.url.reveal(), expires_at: link.expiresAt.toISOString(), mailed: isMailed };
}
