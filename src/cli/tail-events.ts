import type { Command } from 'commander';
import { addBareCommand } from './command.ts';
import { followService } from './follow-service.ts';
import { printable } from './output.ts';
import { addServiceOptions, findService, type ServiceOptions } from './running-service.ts';
import type { StreamMessage } from './stream-messages.ts';
import { untilInterrupted } from './until-interrupted.ts';

export function addTailEvents(group: Command): void {
  const command = addBareCommand(
    group,
    'tail',
    'Print events of a running service as they happen, until Ctrl-C',
    'events tail',
    'events tail --url https://pay.example.com --types order.paid,payment.confirmed --json',
    'events tail --after ""   # everything since the beginning, then as it happens',
  );
  addServiceOptions(command)
    .option('--json', 'print the body that webhooks get, one a line')
    .action(async (options: ServiceOptions & { json?: true }) => {
      const service = await findService(options);
      await untilInterrupted(async (signal, note) => {
        for await (const message of followService(service, options, signal, note)) {
          process.stdout.write(`${options.json ? message.data : lineOf(message)}\n`);
        }
      });
    });
}

function lineOf({ id, event, data }: StreamMessage): string {
  const body = JSON.parse(data) as { created_at: string; data?: Record<string, unknown> };
  const { data: subject = {} } = body;
  const about = [subject.object, subject.order_number ?? subject.id, subject.status, amountOf(subject)]
    .filter((part) => typeof part === 'string')
    .join(' ');
  return printable(`${body.created_at}  ${event.padEnd(18)} ${id}  ${about}`.replaceAll('\n', ' '));
}

function amountOf({ amount_sats, total_amount_sats }: Record<string, unknown>): string | undefined {
  const amount = amount_sats ?? total_amount_sats;
  return typeof amount === 'number' ? `${amount} sats` : undefined;
}
