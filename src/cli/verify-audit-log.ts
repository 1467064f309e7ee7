import type { Command } from 'commander';
import { verifyAuditLog } from '../flows/record-audit.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { readId } from './option-values.ts';
import { counted } from './output.ts';

export function addVerifyAuditLog(group: Command): void {
  addCommand(
    group,
    'verify',
    'Check that no entry was altered or taken out, and print the last hash to keep elsewhere',
    'audit-log verify --merchant ID',
  )
    .option('--merchant <id>', 'whose; may be left out when there is one merchant', readId)
    .action(
      withParts<{ merchant?: string }>(async ({ parts }, options) => {
        const merchant = await chooseMerchant(parts.db, options.merchant);
        const { count, lastHash, brokenAt } = await verifyAuditLog(parts.db, merchant.id);
        return {
          json: {
            object: 'audit_log_check',
            merchant_id: merchant.id,
            holds: brokenAt === null,
            count,
            last_hash: lastHash,
            broken_at: brokenAt,
          },
          text:
            brokenAt === null
              ? `✓ ${counted(count, 'entry', 'entries')} looked at, none altered or missing.${lastHash === null ? '' : `\n  last hash  ${lastHash}`}`
              : `Entry ${brokenAt} is altered or missing; the ${count} before it hold.`,
          failed: brokenAt !== null,
        };
      }),
    );
}
