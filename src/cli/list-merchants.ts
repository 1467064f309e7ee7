import type { Command } from 'commander';
import { listMerchantsForOperator } from '../store/merchants.ts';
import { addCommand, withParts } from './command.ts';
import { merchantJson } from './merchant-json.ts';
import { table } from './output.ts';

export function addListMerchants(group: Command): void {
  addCommand(group, 'list', 'List the merchants of this installation', 'merchant list').action(
    withParts(async ({ parts }) => {
      const merchants = await listMerchantsForOperator(parts.db);
      const rows = merchants.map((row) => [row.id, row.status, row.currency, row.time_zone, row.name]);
      return {
        json: { object: 'list', data: merchants.map(merchantJson) },
        text:
          rows.length === 0
            ? 'There is no merchant yet. Make one with "satline merchant create".'
            : table(['ID', 'STATUS', 'CURRENCY', 'TIME ZONE', 'NAME'], rows),
      };
    }),
  );
}
