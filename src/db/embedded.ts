import type { Logger } from '../kernel/log.ts';
import { handleOf, openPool } from './connections.ts';
import { type Database, sqlState } from './database.ts';
import { type EmbeddedEngine, openEmbedded } from './embedded/open.ts';
import { outcomeOf, type TransactionMark } from './outcome.ts';
import { refuseInsideTransaction, runSnapshot, runTransaction } from './transaction.ts';
import { Wakes } from './wakes.ts';

/** Disk full, or an input/output error of the engine: it answers this once and then spins for ever. */
const engineLost = new Set(['53100', '58030']);

export interface EmbeddedDatabaseOptions {
  dir: string;
  log: Logger;
  onFatal?: (error: Error) => void;
}

/** Opens the database that lives inside this process. One connection, one process, one directory. */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<Database> {
  const engine = await openEmbedded(options);
  const database = connectEmbedded(engine, options.log);
  return {
    ...database,
    close: async () => {
      await database.close();
      await engine.close();
    },
  };
}

/** The database of an engine that is open already and stays open when this is closed. */
export function connectEmbedded(engine: EmbeddedEngine, log: Logger): Database {
  const pool = openPool({ ...engine.poolConfig(), max: 1 }, log, 'embedded database connection lost');
  // A spinning engine never frees itself; the restart gives the space back to whoever cleared it.
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (engineLost.has(sqlState(error) ?? '')) void engine.restart(`engine error ${sqlState(error)}`);
      throw error;
    }
  };
  // One statement, one turn on the connection.
  const handle = handleOf(
    () => pool.connect(),
    refuseInsideTransaction,
    (client) => client.release(),
  );
  const wakes = new Wakes();
  const support = {
    guarded: true,
    connect: () => pool.connect(),
    outcomeOf: (mark: TransactionMark) => outcomeOf(() => pool.connect(), mark),
  };
  return {
    engine: 'embedded',
    many: (statement, values) => watched(handle.many(statement, values)),
    maybeOne: (statement, values) => watched(handle.maybeOne(statement, values)),
    run: (statement, values) => watched(handle.run(statement, values)),
    transaction: (work) => watched(runTransaction(support, work)),
    snapshot: (work) => watched(runSnapshot(support, work)),
    wake: (channel, subject) => wakes.wake(channel, subject),
    onWake: (channel, listener) => wakes.onWake(channel, listener),
    close: () => pool.end(),
  };
}
