import type { Command } from 'commander';
import { listUsersOfMerchant } from '../store/users.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { readId } from './option-values.ts';

export function addListUsers(group: Command): void {
  addCommand(group, 'list', 'Show who has a place at a merchant', 'user list --merchant ID')
    .option('--merchant <id>', 'where; may be left out when there is one merchant', readId)
    .action(
      withParts<{ merchant?: string }>(async ({ parts }, options) => {
        const merchant = await chooseMerchant(parts.db, options.merchant);
        const users = await listUsersOfMerchant(parts.db, merchant.id);
        const lines = users.map(
          ({ email, role, locked_until }) => `${role.padEnd(11)} ${email}${locked_until ? '  locked' : ''}`,
        );
        return {
          json: users,
          text: lines.length > 0 ? lines.join('\n') : `Nobody has a place at ${merchant.name} yet.`,
        };
      }),
    );
}
