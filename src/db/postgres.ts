import type pg from 'pg';
import type { Logger } from '../kernel/log.ts';
import { openPool, SharedConnections, statementsOn } from './connections.ts';
import { type Database, statement } from './database.ts';
import { Notifier, notifyText } from './notifier.ts';
import { outcomeOf, type TransactionMark } from './outcome.ts';
import { refuseInsideTransaction, runSnapshot, runTransaction } from './transaction.ts';

const notify = statement('notify', notifyText);

/** What a server, database or role may have set otherwise, for other programs. */
const sessionOptions = [
  'TimeZone=UTC',
  'DateStyle=ISO',
  'default_transaction_isolation=read\\ committed',
  // Compiling a plan pays for reports, not for statements that take milliseconds.
  'jit=off',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** Connections for transactions, in each process. */
const poolSize = 10;
/** Pipelined connections for single statements. */
const sharedConnectionCount = 4;

interface PostgresOptions {
  url: string;
  log: Logger;
  /** What the server's list of sessions shows. */
  sessionName?: string;
  /** Refuse statements beside a running transaction, as the embedded engine has to; for tests. */
  guarded?: boolean;
}

/** Connects to PostgreSQL 15 or newer. @throws when it cannot be reached or is older. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { log } = options;
  const config: pg.ClientConfig = {
    connectionString: options.url,
    application_name: options.sessionName ?? 'satline',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    // A statement that runs longer than any request may wait is a fault; lock waits end with it.
    statement_timeout: 30_000,
    options: sessionOptions,
  };
  const poolConfig: pg.PoolConfig = {
    ...config,
    max: poolSize,
    // Also how long a call waits for its turn: under a burst, late is better than an error.
    connectionTimeoutMillis: 15_000,
    idleTimeoutMillis: 60_000,
  };
  const pool = openPool(poolConfig, log, 'idle database connection lost');
  const shared = new SharedConnections(config, sharedConnectionCount, log);
  const statements = statementsOn((statement) => shared.get(statement), refuseInsideTransaction);
  const plain = statementsOn((statement) => shared.get(statement));
  const notifier = new Notifier(config, log, async (payloads) => void (await plain.run(notify, [payloads])));

  async function close(): Promise<void> {
    await notifier.close();
    await Promise.all([pool.end(), shared.close()]);
  }

  try {
    await requireVersion(await shared.get({ isShortRead: true }));
    await notifier.listen();
  } catch (error) {
    await close().catch(() => {});
    throw error;
  }

  const wake: Database['wake'] = (channel, subject) => notifier.wakes.wake(channel, subject);
  const support = {
    guarded: options.guarded ?? false,
    connect: () => pool.connect(),
    wake,
    outcomeOf: (mark: TransactionMark) => outcomeOf(() => pool.connect(), mark),
  };
  return {
    engine: 'postgres',
    ...statements,
    transaction: (work) => runTransaction(support, work),
    snapshot: (work) => runSnapshot(support, work),
    wake,
    onWake: (channel, listener) => notifier.wakes.onWake(channel, listener),
    close,
  };
}

async function requireVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(`select current_setting('server_version_num') as version`);
  if (Number(rows[0]!.version) < 150_000) {
    throw new Error(`Satline needs PostgreSQL 15 or newer; this server says ${rows[0]!.version}`);
  }
}
