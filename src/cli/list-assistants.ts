import type { Command } from 'commander';
import { type OauthConnectionRow, toOauthConnection } from '../model/oauth-connection.ts';
import { listOauthConnectionsForOperator } from '../store/oauth-connections.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { readId } from './option-values.ts';
import { table } from './output.ts';

export function addListAssistants(group: Command): void {
  addCommand(
    group,
    'list',
    "List a merchant's OAuth connections of both modes, oldest first",
    'assistant list --merchant ID',
  )
    .option('--merchant <id>', 'whose; may be left out when there is one merchant', readId)
    .action(
      withParts<{ merchant?: string }>(async ({ parts }, options) => {
        const merchant = await chooseMerchant(parts.db, options.merchant);
        const rows = await listOauthConnectionsForOperator(parts.db, merchant.id);
        return {
          json: { object: 'list', data: rows.map(toOauthConnection) },
          text:
            rows.length === 0
              ? `Nobody has connected an assistant to ${merchant.name}.`
              : table(['ID', 'MODE', 'STATE', 'MAY', 'GOES TO', 'LAST USED', 'NAME'], rows.map(cells)),
        };
      }),
    );
}

function cells(row: OauthConnectionRow): string[] {
  return [
    row.id,
    row.livemode ? 'live' : 'test',
    row.revoked_at ? 'ended' : 'active',
    row.scopes.join(','),
    row.redirect_host,
    row.last_used_at?.toISOString() ?? 'never',
    row.client_name,
  ];
}
