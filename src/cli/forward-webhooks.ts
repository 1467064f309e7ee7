import { createHmac } from 'node:crypto';
import { type Command, InvalidArgumentError } from 'commander';
import { signatureHeaders } from '../events/signature.ts';
import { addBareCommand } from './command.ts';
import { followService } from './follow-service.ts';
import { printable } from './output.ts';
import { addServiceOptions, findService, readUrl, type ServiceOptions } from './running-service.ts';
import type { StreamMessage } from './stream-messages.ts';
import { untilInterrupted } from './until-interrupted.ts';

interface Options extends ServiceOptions {
  to: string;
  secret?: string;
  printSecret?: true;
  json?: true;
}

/** As long as the service itself would wait. */
const timeoutMillis = 10_000;

export function addForwardWebhooks(group: Command): void {
  const command = addBareCommand(
    group,
    'forward',
    'Send events of a running service to an address of yours as a webhook would, until Ctrl-C; for development',
    'webhooks forward --to http://localhost:4000/hook',
    'webhooks forward --to http://localhost:4000/hook --types order.paid --after evt_…',
    'webhooks forward --to http://localhost:4000/hook --print-secret',
  ).requiredOption('--to <url>', 'where to send them; may be on this machine', readUrl);
  addServiceOptions(command)
    .option('--secret <whsec>', 'sign with this secret; without it with one that belongs to the key', readSecret)
    .option('--print-secret', 'print the secret and end')
    .option('--json', 'print one JSON object per event')
    .action(async (options: Options) => {
      const service = await findService(options);
      const secret = options.secret ?? secretOf(service.key);
      if (options.printSecret) {
        process.stdout.write(`${secret}\n`);
        return;
      }
      await untilInterrupted(async (signal, note) => {
        note(`Deliveries are signed with ${secret}`);
        for await (const message of followService(service, options, signal, note)) {
          const outcome = await forward(message, options.to, secret, signal);
          if (signal.aborted) return;
          process.stdout.write(`${options.json ? JSON.stringify(outcome) : lineOf(outcome)}\n`);
        }
      });
    });
}

/** The same for a key each time, so that the receiver need not be set up anew. It gives nothing of the key away. */
function secretOf(key: string): string {
  return `whsec_${createHmac('sha256', key).update('satline webhooks forward').digest('base64')}`;
}

interface Outcome {
  event: string;
  id: string;
  status: number | null;
  error: string | null;
  duration_ms: number;
}

/** One try: what fails here is seen at once and can be sent again with `--after`. */
async function forward({ id, event, data }: StreamMessage, to: string, secret: string, signal: AbortSignal) {
  const body = Buffer.from(data, 'utf8');
  const startedAt = performance.now();
  const outcome: Outcome = { event, id, status: null, error: null, duration_ms: 0 };
  try {
    const response = await fetch(to, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Satline',
        ...signatureHeaders(body, id, { current: secret, previous: undefined }, new Date()),
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMillis)]),
    });
    outcome.status = response.status;
    await response.body?.cancel();
  } catch (error) {
    const { name, message, cause } = error as Error & { cause?: Error };
    outcome.error =
      name === 'TimeoutError' ? `no answer within ${timeoutMillis / 1000} s` : (cause?.message ?? message);
  }
  outcome.duration_ms = Math.round(performance.now() - startedAt);
  return outcome;
}

function lineOf({ event, id, status, error, duration_ms }: Outcome): string {
  const good = status !== null && status >= 200 && status < 300;
  return printable(`${good ? 'ok    ' : 'FAILED'}  ${event.padEnd(18)} ${id}  ${status ?? error}  ${duration_ms} ms`);
}

function readSecret(text: string): string {
  if (!/^whsec_[A-Za-z0-9+/]{22,}={0,2}$/.test(text)) {
    throw new InvalidArgumentError('It must be the secret_key of a webhook, whsec_…');
  }
  return text;
}
