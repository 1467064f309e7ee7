import type { Command } from 'commander';
import { type ApiKeyRow, listApiKeysForOperator } from '../store/api-keys.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { keyHint, keyJson } from './key-json.ts';
import { limitsText } from './key-terms.ts';
import { readId } from './option-values.ts';
import { table } from './output.ts';

export function addListKeys(group: Command): void {
  addCommand(group, 'list', "List a merchant's API keys of both modes, oldest first", 'key list --merchant ID')
    .option('--merchant <id>', 'whose keys; may be left out when there is one merchant', readId)
    .action(
      withParts<{ merchant?: string }>(async ({ parts }, options) => {
        const merchant = await chooseMerchant(parts.db, options.merchant);
        const keys = await listApiKeysForOperator(parts.db, merchant.id);
        return {
          json: { object: 'list', data: keys.map(keyJson) },
          text:
            keys.length === 0
              ? `${merchant.name} has no keys. Make one with "satline key create".`
              : table(
                  ['ID', 'KEY', 'STATE', 'MAY', 'FROM', 'LIMITS', 'NAME'],
                  keys.map((row) => cells(row, merchant.currency, parts.clock.now())),
                ),
        };
      }),
    );
}

function cells(row: ApiKeyRow, currency: string, now: Date): string[] {
  const allowed = row.permissions?.join(',') ?? (row.kind === 'secret' ? 'everything' : 'publishable');
  const from = row.ip_ranges?.join(',') ?? 'anywhere';
  return [row.id, keyHint(row), stateText(row, now), allowed, from, limitsText(row, currency), row.name];
}

function stateText({ revoked_at }: ApiKeyRow, now: Date): string {
  if (revoked_at === null) return 'active';
  return revoked_at <= now ? 'revoked' : `until ${revoked_at.toISOString()}`;
}
