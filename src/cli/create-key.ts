import { type Command, Option } from 'commander';
import { issueApiKey } from '../auth/api-key.ts';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import type { Permission } from '../kernel/context.ts';
import type { MerchantRow } from '../model/merchant.ts';
import { type ApiKeyRow, findApiKeyForOperator } from '../store/api-keys.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, refuseUsage, withParts } from './command.ts';
import { keyJson } from './key-json.ts';
import { limitLines, readAmountText, readIpRanges, readPermissions, readTools, toLimitCents } from './key-terms.ts';
import { readId, readName } from './option-values.ts';

interface Options {
  merchant?: string;
  live?: true;
  publishable?: true;
  name?: string;
  permissions?: Permission[];
  ipRanges?: string[];
  tools?: string[];
  maxOrder?: string;
  maxDaily?: string;
  productsOnly?: true;
}

export function addCreateKey(group: Command): void {
  const command = addCommand(
    group,
    'create',
    'Make an API key and print it, once',
    'key create',
    'key create --merchant ID --live --name "Web shop" --permissions orders:read,orders:write --ip-ranges 203.0.113.0/24',
    'key create --live --publishable --products-only',
    'key create --live --name Assistant --tools create_order,check_invoice_status --max-order 50 --max-daily 500',
  )
    .option('--merchant <id>', 'whose key; may be left out when there is one merchant', readId)
    .option('--live', 'for real payments; without it the key is for test mode')
    .option('--publishable', 'for web pages and apps, where everybody can read it')
    .option('--name <name>', 'what it is for', readName)
    .addOption(
      new Option('--permissions <list>', 'what a secret key may do; everything without it')
        .argParser(readPermissions)
        .conflicts('publishable'),
    )
    .addOption(
      new Option('--ip-ranges <list>', 'where a secret key may be used from; anywhere without it')
        .argParser(readIpRanges)
        .conflicts('publishable'),
    )
    .addOption(
      new Option('--tools <list>', 'the only operations a secret key may call; all without it')
        .argParser(readTools)
        .conflicts('publishable'),
    )
    .option('--max-order <amount>', "largest amount it may ask for at once, in the merchant's currency", readAmountText)
    .option('--max-daily <amount>', 'most it may ask for in a day', readAmountText)
    .option('--products-only', 'a publishable key makes checkouts of products alone, never of an amount')
    .action(
      withParts<Options>(async ({ parts }, options) => {
        const merchant = await chooseMerchant(parts.db, options.merchant);
        const kind = options.publishable ? 'publishable' : 'secret';
        const livemode = options.live === true;
        const name = options.name ?? `${livemode ? 'Live' : 'Test'} ${kind} key`;
        const { permissions = null, ipRanges = null, tools = null, maxOrder, maxDaily } = options;
        const limits = {
          allowed_tools: tools,
          max_order_cents: toLimitCents(maxOrder, merchant.currency),
          max_daily_cents: toLimitCents(maxDaily, merchant.currency),
          products_only: options.productsOnly === true,
        };
        const { key, row } = await parts.db.transaction(async (tx) => {
          const scope = { merchantId: merchant.id, livemode };
          const issued = await issueApiKey(tx, scope, { kind, name, permissions, ipRanges, limits }, parts.clock.now());
          const row = (await findApiKeyForOperator(tx, issued.id))!;
          await recordOperatorAudit(tx, {
            ...scope,
            action: 'create_api_token',
            subjectId: row.id,
            now: row.created_at,
          });
          return { key: issued.key, row };
        });
        return { json: { ...keyJson(row), key: key.reveal() }, text: newKeyText(key.reveal(), row, merchant) };
      }),
    );
  refuseUsage<Options>(command, ({ productsOnly, publishable }) =>
    productsOnly && !publishable ? '--products-only is for --publishable keys.' : undefined,
  );
}

function newKeyText(key: string, row: ApiKeyRow, merchant: MerchantRow): string {
  const allowed = row.permissions?.join(', ') ?? (row.kind === 'secret' ? 'everything' : 'what publishable keys may');
  return [
    `${row.name}, for ${merchant.name} in ${row.livemode ? 'live' : 'test'} mode:`,
    '',
    `  ${key}`,
    '',
    'Keep it now: Satline stores only a hash and cannot show it again.',
    `  id    ${row.id}`,
    `  may   ${allowed}`,
    `  from  ${row.ip_ranges?.join(', ') ?? 'any address'}`,
    ...limitLines(row, merchant.currency),
  ].join('\n');
}
