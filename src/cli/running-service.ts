import { type Command, InvalidArgumentError } from 'commander';
import { readClientConfig } from '../config.ts';
import { readDemo } from '../demo.ts';
import { eventKinds } from '../events/catalog.ts';
import { CliFailure, openingFailure } from './failure.ts';

/** A service that answers over HTTP, and what opens it. */
export interface RunningService {
  readonly url: string;
  readonly key: string;
}

export interface ServiceOptions {
  url?: string;
  key?: string;
  after?: string;
  types?: string[];
}

/** The options that commands share which follow a running service. */
export function addServiceOptions(command: Command): Command {
  return command
    .option('--url <url>', 'address of the service; else SATLINE_URL, else the demo in DATA_DIR', readUrl)
    .option('--key <key>', 'secret API key, seen by others on this machine; else SATLINE_KEY, else the demo’s test key')
    .option('--after <cursor>', 'begin behind this event or cursor; "" is the very beginning, without it: now')
    .option('--types <list>', 'only these kinds of events, comma separated', readTypes);
}

/** @throws {CliFailure} when nothing says which service or key. */
export async function findService({ url, key }: ServiceOptions): Promise<RunningService> {
  const config = readClientConfig(process.env);
  const named = { url: url ?? config.url, key: key ?? config.key };
  if (named.url && named.key) return { url: named.url, key: named.key };
  const demo = await readDemo(config.dataDir).catch((error) => {
    throw openingFailure(error, undefined);
  });
  if (demo) return { url: named.url ?? demo.base_url, key: named.key ?? demo.secret_key };
  const missing = named.url ? '--key or SATLINE_KEY' : named.key ? '--url or SATLINE_URL' : '--url and --key';
  throw new CliFailure(`Which service? Give ${missing}; there is no demo in ${config.dataDir} to take it from.`);
}

export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidArgumentError('It must be an http(s) address, such as http://localhost:3000.');
  }
  return url.href.replace(/\/+$/, '');
}

function readTypes(text: string): string[] {
  const types = text.split(',').map((type) => type.trim());
  const unknown = types.filter((type) => !(eventKinds as readonly string[]).includes(type));
  if (unknown.length > 0)
    throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}. See docs/generated/events.md.`);
  return types;
}
