import { type Command, Option } from 'commander';
import { resetSecondFactor } from '../flows/second-factor.ts';
import { type Language, languages } from '../surfaces/pages/language.ts';
import { secondFactorOffLetter } from '../surfaces/people/words.ts';
import { addCommand, withParts } from './command.ts';
import { CliFailure } from './failure.ts';
import { requireUserForOperator } from './find-user.ts';
import { readEmail } from './option-values.ts';

export function addResetSecondFactor(group: Command): void {
  addCommand(
    group,
    'reset-second-factor',
    'Take away the second factor of somebody who has lost their app and their recovery codes, and tell them by mail',
    'user reset-second-factor ada@example.com',
  )
    .argument('<email>', 'address they sign in with', readEmail)
    .addOption(new Option('--language <tag>', 'of the mail').choices(languages).default('en'))
    .action(
      withParts<{ language: Language }>(async ({ parts }, options, email) => {
        const user = await requireUserForOperator(parts.db, email);
        const letter = secondFactorOffLetter(options.language);
        const wasThere = await parts.db.transaction((tx) =>
          resetSecondFactor(tx, parts, user, letter, parts.clock.now()),
        );
        if (!wasThere) throw new CliFailure(`${user.email} has no second factor.`);
        return {
          json: { email: user.email },
          text: `${user.email} signs in with the password alone now, and can set up an app anew at /account.`,
        };
      }),
    );
}
