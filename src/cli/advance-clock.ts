import { type Command, InvalidArgumentError } from 'commander';
import { addCommand, withoutConfig } from './command.ts';
import { CliFailure } from './failure.ts';
import { findService, type RunningService, readUrl } from './running-service.ts';

interface Options {
  url?: string;
  key?: string;
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

export function addAdvanceClock(group: Command): void {
  addCommand(
    group,
    'advance',
    'Move time forward for the test data of the merchant whose test key is used',
    'clock advance --by 31d',
    'clock advance --by 15m --url https://pay.example.com   # with a test key in SATLINE_KEY',
  )
    .requiredOption('--by <time>', 'how far: a number and s, m, h, d or w', readSeconds)
    .option('--url <url>', 'address of the service; else SATLINE_URL, else the demo in DATA_DIR', readUrl)
    .option('--key <key>', 'secret test key, seen by others on this machine; else SATLINE_KEY, else the demo’s')
    .action(
      withoutConfig<Options & { by: number }>(async ({ progress, signal }, { by, url, key }) => {
        progress.show('Living through that time');
        const service = await findService({ ...(url ? { url } : {}), ...(key ? { key } : {}) });
        const clock = await advance(service, by, signal);
        return {
          json: clock,
          text: `For your test data it is ${clock.now} now, ${clock.offset_seconds} seconds ahead of the clock.`,
        };
      }),
    );
}

async function advance(
  { url, key }: RunningService,
  seconds: number,
  signal: AbortSignal,
): Promise<{ now: string; offset_seconds: number }> {
  const response = await fetch(`${url}/api/v1/m/test_clock/advance`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ seconds }),
    redirect: 'error',
    signal,
  }).catch((cause) => {
    throw new CliFailure(`Nothing answers at ${url}. See that the service runs and that the address is right.`, {
      cause,
    });
  });
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer?.object === 'test_clock') return answer;
  const { message, details } = answer?.error ?? {};
  const sentence = details?.join('; ') ?? message ?? 'this is no Satline';
  throw new CliFailure(`${url} answers ${response.status}: ${sentence}.`);
}

function readSeconds(text: string): number {
  const [, number, unit] = /^([1-9]\d{0,8})([smhdw])$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('It must be such as 90s, 15m, 12h, 31d or 2w.');
  return Number(number) * unitSeconds[unit!]!;
}
