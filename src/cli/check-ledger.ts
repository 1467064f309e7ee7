import type { Command } from 'commander';
import { checkLedger } from '../flows/check-ledger.ts';
import { addCommand, withParts } from './command.ts';

export function addCheckLedger(group: Command): void {
  addCommand(group, 'check', 'Check that orders, invoices, payments, sales and events agree', 'ledger check').action(
    withParts(async ({ parts, progress }) => {
      progress.show('Checking the books');
      const broken = await checkLedger(parts.db);
      const lines = broken.map(({ rule, ids }) => `✗ ${rule}\n    broken by ${ids.join(', ')}`);
      return {
        json: { object: 'ledger_check', holds: broken.length === 0, broken },
        text:
          broken.length === 0
            ? '✓ The books agree.'
            : `The books do not agree. Look at these rows:\n${lines.join('\n')}`,
        failed: broken.length > 0,
      };
    }),
  );
}
