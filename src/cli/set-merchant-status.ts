import type { Command } from 'commander';
import { changeMerchantStatus } from '../flows/change-merchant-status.ts';
import { findMerchant } from '../store/merchants.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { merchantJson } from './merchant-json.ts';
import { readId } from './option-values.ts';

const deeds = {
  activate: { status: 'active', about: 'Let a merchant use the API and take payments' },
  suspend: {
    status: 'suspended',
    about: 'Stop a merchant: 403 for its keys, links that cannot be paid; open invoices stay watched, webhooks go out',
  },
} as const;

export function addSetMerchantStatus(group: Command, name: keyof typeof deeds): void {
  const { status, about } = deeds[name];
  addCommand(group, name, about, `merchant ${name} ID`)
    .argument('[id]', 'which; may be left out when there is one merchant', readId)
    .action(
      withParts<Record<string, never>>(async ({ parts }, _options, id) => {
        const merchant = await chooseMerchant(parts.db, id);
        const before = await changeMerchantStatus(parts, merchant.id, status);
        const row = (await findMerchant(parts.db, merchant.id))!;
        const text =
          before === status
            ? `${merchant.name} is ${status} already.`
            : `${merchant.name} was ${before} and is ${status} now. Running servers know within 2 seconds.`;
        return { json: merchantJson(row), text };
      }),
    );
}
