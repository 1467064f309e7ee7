import type { Command } from 'commander';
import { type Difference, reconcile } from '../flows/reconcile.ts';
import { addCommand, withParts } from './command.ts';
import { readMoment } from './option-values.ts';
import { counted } from './output.ts';

export function addReconcile(program: Command): void {
  addCommand(
    program,
    'reconcile',
    'Ask every wallet about every invoice and list where its word and our books differ',
    'reconcile --since 2027-03-01',
    'reconcile --fix',
  )
    .option('--since <date>', 'only invoices made since then', readMoment)
    .option('--fix', 'record payments that the wallets have and our books lack; nothing else is changed')
    .action(
      withParts<{ since?: Date; fix?: boolean }>(async ({ parts, progress, signal }, options) => {
        const differences: Difference[] = [];
        let looked = 0;
        const run = reconcile(parts, {
          since: options.since,
          fix: options.fix === true,
          signal,
          onProgress: (count) => {
            looked = count;
            progress.show(`Asked about ${counted(count, 'invoice')}`);
          },
        });
        for await (const difference of run) differences.push(difference);
        const open = differences.filter((one) => !(one.kind === 'not_in_our_books' && one.fixed));
        return {
          json: { object: 'reconciliation', invoices: looked, differences: differences.map(toJson) },
          text: [
            `Asked about ${counted(looked, 'invoice')}: ${counted(differences.length, 'difference')}.`,
            ...differences.map(sentence),
          ].join('\n'),
          failed: open.length > 0,
        };
      }),
    );
}

function sentence(difference: Difference): string {
  const name = `invoice ${difference.invoice.id} of order ${difference.invoice.order_id}`;
  switch (difference.kind) {
    case 'not_in_our_books':
      return `✗ ${name}: the wallet was paid, our books have no payment${difference.fixed ? '; recorded now' : '. Record it with --fix'}`;
    case 'not_at_the_wallet':
      return `✗ ${name}: our books have a payment, the wallet says ${difference.walletState}`;
    case 'other_amount':
      return `✗ ${name}: our books have ${difference.ourSats} sats, the wallet says ${difference.walletSats}`;
    case 'no_answer':
      return `? ${name}: ${difference.reason}`;
  }
}

function toJson({ invoice, ...rest }: Difference) {
  return { invoice_id: invoice.id, order_id: invoice.order_id, ...rest };
}
