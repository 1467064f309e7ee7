import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import type pg from 'pg';
import type { Logger } from '../../kernel/log.ts';
import { makeDirectory } from '../../kernel/make-directory.ts';
import { lockDirectory } from './directory-lock.ts';
import { Gauges } from './gauges.ts';
import { Supervisor } from './supervisor.ts';
import { Watchdog } from './watchdog.ts';

/** Where the database lives below `DATA_DIR`. */
export function embeddedDirectory(dataDir: string): string {
  return join(dataDir, 'db');
}

export interface EmbeddedOptions {
  /** Holds the file `lock` and the cluster `pg`; made with mode 0700 if it is missing, and what it lies in as well. */
  dir: string;
  log: Logger;
  /** A statement that runs longer costs a restart of the engine. 30 seconds unless said otherwise. */
  statementDeadlineMillis?: number;
  /** The engine crashed three times within a minute and stays down: log and leave the process. */
  onFatal?: (error: Error) => void;
}

export interface EmbeddedEngine {
  /**
   * For `new pg.Pool({ ...engine.poolConfig(), max: 1 })`. A crash of the engine emits `error` on the client that is
   * connected, so give the pool and each checked-out client an `error` listener. LISTEN belongs into the pool's
   * `onConnect`, where it comes back by itself after a restart.
   */
  poolConfig(): pg.PoolConfig;
  /** How often the engine has made something durable since `openEmbedded`, over all restarts. */
  syncCount(): number;
  /** Changes the deadline for statements while `work` runs; null suspends it. For migrations, exports and imports. */
  withDeadline<T>(ms: number | null, work: () => Promise<T>): Promise<T>;
  /**
   * Ends the engine and opens it again. Needed after SQLSTATE 53100 or 58030: having reported those once, it spins and
   * may answer nothing more. Running queries fail with ECONNRESET, new connections with ECONNREFUSED until it is back.
   */
  restart(reason: string): Promise<void>;
  /** Closes in good order, within five seconds or by force, and releases the directory. End the pool before. */
  close(): Promise<void>;
}

/**
 * Opens the PostgreSQL that comes with Satline. Sets the umask of the whole process to 077, because the engine creates
 * its files readable by everybody. As process 1 of a container install a SIGTERM handler before.
 *
 * @throws {EmbeddedDirectoryInUse} when another process has the directory open.
 * @throws when the directory belongs to another PostgreSQL, cannot be locked, or the engine does not start.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedEngine> {
  const { dir, log } = options;
  // Not possible in a worker; there the mode of the cluster's directory has to do.
  if (isMainThread) process.umask(0o077);
  makeDirectory(dir);
  // The cluster inside is closed to others in any case; here they could put another one in its place.
  if ((statSync(dir).mode & 0o022) !== 0) log.warn({ dir }, 'other users may write in the database directory');
  const lock = lockDirectory(dir);
  try {
    return await openLocked(options, () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openLocked(options: EmbeddedOptions, release: () => void): Promise<EmbeddedEngine> {
  const { dir, log } = options;
  const gauges = new Gauges();
  const supervisor = new Supervisor({
    directory: dir,
    gauges,
    log,
    onFatal: (error) => {
      log.error({ err: error }, 'the embedded database stays down');
      options.onFatal?.(error);
    },
  });
  await supervisor.open();
  const watchdog = new Watchdog(gauges, options.statementDeadlineMillis ?? 30_000, (millis) => {
    void supervisor.restart(`a statement ran longer than ${millis} ms`);
  });
  let closing: Promise<void> | undefined;
  return {
    poolConfig: () => ({
      stream: supervisor.newStream,
      // The engine asks for no password; what is given here keeps PG… variables of the environment out.
      user: 'postgres',
      database: 'postgres',
      host: 'embedded',
      ssl: false,
      max: 1,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: 10_000,
    }),
    syncCount: () => gauges.syncCount,
    withDeadline: (millis, work) => watchdog.withDeadline(millis, work),
    restart: (reason) => supervisor.restart(reason),
    close: () => {
      closing ??= supervisor.close().finally(() => {
        watchdog.stop();
        release();
      });
      return closing;
    },
  };
}
