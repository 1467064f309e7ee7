import type { Command } from 'commander';
import { addMerchant } from '../flows/new-merchant.ts';
import { recordOperatorAudit } from '../flows/record-audit.ts';
import { findMerchant } from '../store/merchants.ts';
import { addCommand, withParts } from './command.ts';
import { merchantJson } from './merchant-json.ts';
import { readCurrency, readEmail, readName, readTimeZone } from './option-values.ts';

interface Options {
  name: string;
  email: string;
  currency: string;
  timeZone: string;
  pending?: true;
}

export function addCreateMerchant(group: Command): void {
  addCommand(
    group,
    'create',
    'Add a merchant, with a simulated wallet in test mode',
    'merchant create --name "Corner Shop" --email shop@example.com --currency eur --time-zone Europe/Berlin',
    'merchant create --name "Corner Shop" --email shop@example.com --pending',
  )
    .requiredOption('--name <name>', 'name that payers see', readName)
    .requiredOption('--email <address>', 'where the merchant can be reached', readEmail)
    .option('--currency <code>', 'currency of prices, ISO 4217', readCurrency, 'usd')
    .option('--time-zone <name>', 'IANA time zone of the business', readTimeZone, 'UTC')
    .option('--pending', 'it takes no payments and its keys are refused until "satline merchant activate"')
    .action(
      withParts<Options>(async ({ parts }, { name, email, currency, timeZone, pending }) => {
        const now = parts.clock.now();
        const status = pending ? 'pending' : 'active';
        const merchant = await parts.db.transaction(async (tx) => {
          const { merchantId } = await addMerchant(tx, { name, email, currency, timeZone, status }, now);
          await recordOperatorAudit(tx, { merchantId, action: 'create_merchant', subjectId: merchantId, now });
          return (await findMerchant(tx, merchantId))!;
        });
        return { json: merchantJson(merchant), text: nextSteps(name, merchant.id, status) };
      }),
    );
}

function nextSteps(name: string, id: string, status: 'active' | 'pending'): string {
  return [
    `Merchant ${name} has the id ${id}`,
    ...(status === 'pending' ? ['', 'It is pending. Let it begin with:', `  satline merchant activate ${id}`] : []),
    '',
    'Test mode is ready: its simulated wallet is there. Next, a key for it:',
    `  satline key create --merchant ${id}`,
    'And for real payments, a wallet and a live key:',
    `  satline wallet add --merchant ${id} --live name@wallet.example`,
    `  satline key create --merchant ${id} --live`,
    'Whoever works there is invited with:',
    `  satline user invite ada@example.com --merchant ${id} --role owner`,
  ].join('\n');
}
