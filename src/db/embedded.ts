import type { Logger } from '../kernel/log.ts';
import { openPool, statementsOn } from './connections.ts';
import { type Database, sqlState } from './database.ts';
import { type EmbeddedEngine, openEmbedded } from './embedded/open.ts';
import { outcomeOf, type TransactionMark } from './outcome.ts';
import { refuseInsideTransaction, runSnapshot, runTransaction } from './transaction.ts';
import { Wakes } from './wakes.ts';

/** The engine answers one of these once and then spins for ever. */
const engineLost = new Map([
  ['53100', 'the disk that holds DATA_DIR is full'],
  ['58030', 'the disk that holds DATA_DIR cannot be read or written'],
]);

interface EmbeddedDatabaseOptions {
  dir: string;
  log: Logger;
  onFatal?: (error: Error) => void;
}

/** Opens the database that lives inside this process. One connection, one process, one directory. */
export async function openEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<Database> {
  const engine = await openEmbedded(options);
  const database = connectEmbedded(Promise.resolve(engine), options.log);
  return {
    ...database,
    close: async () => {
      await database.close();
      await engine.close();
    },
  };
}

/** The database of an engine that somebody has opened, or is opening: statements wait for it. It stays open when this is closed. */
export function connectEmbedded(opening: Promise<EmbeddedEngine>, log: Logger): Database {
  const poolOpening = opening.then((engine) =>
    openPool({ ...engine.poolConfig(), max: 1 }, log, 'embedded database connection lost'),
  );
  // Whoever opens the engine is told why it does not open.
  poolOpening.catch(() => {});
  const connect = async () => (await poolOpening).connect();
  // A spinning engine never frees itself; the restart gives the space back to whoever cleared it.
  const watched = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      const reason = engineLost.get(sqlState(error) ?? '');
      if (reason !== undefined) void (await opening).restart(reason);
      throw error;
    }
  };
  // One statement, one turn on the connection.
  const statements = statementsOn(connect, refuseInsideTransaction, (client) => client.release());
  const wakes = new Wakes();
  const wake: Database['wake'] = (channel, subject) => wakes.wake(channel, subject);
  const support = {
    guarded: true,
    connect,
    wake,
    outcomeOf: (mark: TransactionMark) => outcomeOf(connect, mark),
  };
  return {
    engine: 'embedded',
    many: (statement, values) => watched(statements.many(statement, values)),
    maybeOne: (statement, values) => watched(statements.maybeOne(statement, values)),
    run: (statement, values) => watched(statements.run(statement, values)),
    transaction: (work) => watched(runTransaction(support, work)),
    snapshot: (work) => watched(runSnapshot(support, work)),
    wake,
    onWake: (channel, listener) => wakes.onWake(channel, listener),
    close: async () => (await poolOpening).end(),
  };
}
