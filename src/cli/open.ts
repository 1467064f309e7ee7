import { existsSync } from 'node:fs';
import { pino } from 'pino';
import { type BuiltParts, buildParts, openDatabase as openConfigured } from '../build-parts.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { embeddedDirectory } from '../db/embedded/open.ts';
import { mayReachPrivateNetworks } from '../demo.ts';
import type { Logger } from '../kernel/log.ts';
import { openingFailure } from './failure.ts';

/**
 * The log of a command, on standard error. Only errors, because a foreseen fault is told in a sentence of its own;
 * `LOG_LEVEL=debug` shows what led to it.
 */
function commandLog({ logLevel }: Config): Logger {
  const level = logLevel === 'debug' || logLevel === 'silent' ? logLevel : 'error';
  const time = pino.stdTimeFunctions.isoTime;
  return pino({ level, base: null, timestamp: time }, pino.destination({ dest: 2, sync: true }));
}

/** Everything the server is made of, with its schema up to date. @throws a failure with a sentence. */
export async function openParts(config: Config): Promise<BuiltParts> {
  try {
    const allowPrivateNetworks = await mayReachPrivateNetworks(config);
    return await buildParts(config, { log: commandLog(config), allowPrivateNetworks });
  } catch (error) {
    throw openingFailure(error, config.databaseUrl);
  }
}

/** The database alone, as it is: its schema may be of any age. @throws a failure with a sentence. */
export async function openDatabase(config: Config): Promise<Database> {
  try {
    return await openConfigured(config, commandLog(config));
  } catch (error) {
    throw openingFailure(error, config.databaseUrl);
  }
}

/** Whether there is anything to open: a server's database is taken to be there. */
export function hasDatabase(config: Config): boolean {
  return config.databaseUrl !== undefined || existsSync(embeddedDirectory(config.dataDir));
}
