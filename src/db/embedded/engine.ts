import { setFlagsFromString } from 'node:v8';
import { PGlite } from '@electric-sql/pglite';
import { DurableNodeFS } from './durable-fs.ts';
import type { Gauges } from './gauges.ts';

/** Half of what PostgreSQL's own checkpointer would allow here (max_wal_size, 64 MB with segments of 1 MB). */
const checkpointBytes = 32 * 1024 * 1024;
const checkpointLookMillis = 1000;
/**
 * About how many bytes of its code a function of the engine runs before V8 compiles it anew, optimised; V8's own figure is
 * a tenth of it or less. Opening the engine runs many functions for a moment only, and optimising those took a third of
 * the time; what a busy service needs gets there within seconds.
 */
const tieringBudgetBytes = 180_000_000;
/** How PGlite leaves its main loop after an ordinary SQL error. Every other exception means a broken engine. */
const errorExitStatus = 100;

interface EngineOptions {
  dataDirectory: string;
  gauges: Gauges;
  /** Ends the thread. */
  fatal: (reason: string) => never;
  notice: (text: string) => void;
}

/** PostgreSQL in this thread. Everything but opening and closing blocks it until the work is done. */
export class Engine {
  readonly #db: PGlite;
  readonly #gauges: Gauges;
  readonly #notice: (text: string) => void;
  #lookedAt = Date.now();
  #syncsThen: number;

  /** @throws when the cluster cannot be opened or its commits would not reach the disk. */
  static async open(options: EngineOptions): Promise<Engine> {
    const { gauges, fatal } = options;
    setFlagsFromString(`--wasm-tiering-budget=${tieringBudgetBytes}`);
    const lines: string[] = [];
    let opening = true;
    const db = new PGlite({
      fs: new DurableNodeFS(options.dataDirectory, {
        synced: () => gauges.countSync(),
        failed: (error) => fatal(`a write could not be made durable: ${String(error)}`),
      }),
      startParams: [
        ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
        // The default, fdatasync, is a system call that this build leaves empty.
        ...['-c', 'wal_sync_method=fsync'],
        // The engine clears all of its 128 MB at every start, which takes longer than reading its files, and keeps them
        // for good. What these buffers miss is in the kernel's cache, in this same memory.
        ...['-c', 'shared_buffers=32MB'],
      ],
      onStderr: (text) => {
        // Ordinary errors quote their statement and its values: not for the log.
        if (opening) lines.push(text);
        else if (/\b(FATAL|PANIC): /.test(text)) options.notice(text);
        return false;
      },
    });
    try {
      await db.waitReady;
    } catch (error) {
      throw new Error([String(error), ...lines.slice(-10)].join('\n'));
    }
    opening = false;
    endOnBrokenLoop(db, fatal);
    await requireDurableCommit(db, gauges);
    return new Engine(db, options);
  }

  private constructor(db: PGlite, options: EngineOptions) {
    this.#db = db;
    this.#gauges = options.gauges;
    this.#notice = options.notice;
    this.#syncsThen = options.gauges.syncCount;
  }

  /** `output` gets views into the engine's memory: copy them before returning. */
  async execute(messages: Uint8Array, output: (bytes: Uint8Array) => void): Promise<void> {
    this.#gauges.startWork();
    try {
      await this.#db.execProtocolRawStream(messages, { syncToFs: false, onRawData: output });
    } finally {
      this.#gauges.endWork();
    }
  }

  get inTransaction(): boolean {
    return this.#db.isInTransaction();
  }

  /**
   * This build has no background process, so nothing would ever write a checkpoint and the log would grow until the
   * disk is full. Only between sessions' work.
   */
  async checkpointIfDue(): Promise<void> {
    const { syncCount } = this.#gauges;
    if (syncCount === this.#syncsThen || Date.now() - this.#lookedAt < checkpointLookMillis) return;
    this.#gauges.startWork();
    try {
      const { rows } = await this.#db.query<{ bytes: number }>(
        'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()',
      );
      if (rows[0]!.bytes > checkpointBytes) await this.#db.exec('checkpoint');
    } catch (error) {
      this.#notice(`the checkpoint failed: ${String(error)}`);
    } finally {
      this.#gauges.endWork();
    }
    this.#lookedAt = Date.now();
    this.#syncsThen = this.#gauges.syncCount;
  }

  async close(): Promise<void> {
    await this.#db.close();
  }
}

/**
 * PGlite swallows whatever is thrown in its main loop (a trap, a full stack, a panic, the end of the backend) and then
 * reports the statement as finished. A lost COMMIT would look like a success, so the thread ends instead.
 */
function endOnBrokenLoop(db: PGlite, fatal: (reason: string) => never): void {
  const module = db.Module;
  const once = module._PostgresMainLoopOnce;
  if (typeof once !== 'function') throw new Error('This PGlite has no main loop to guard; Satline cannot run on it');
  module._PostgresMainLoopOnce = () => {
    try {
      once();
    } catch (error) {
      if ((error as { status?: number }).status !== errorExitStatus) fatal(describeBreak(error));
      throw error;
    }
  };
}

/** Why the engine is no more, as a log line says it. */
export function describeBreak(error: unknown): string {
  const { status } = error as { status?: number };
  // Emscripten's ExitStatus, which is no Error: the backend left, as after a FATAL.
  return status === undefined ? `the engine broke: ${String(error)}` : `the engine ended with status ${status}`;
}

/** The durable fsync hangs on internal names of PGlite; without this check a new version could lose it in silence. */
async function requireDurableCommit(db: PGlite, gauges: Gauges): Promise<void> {
  const before = gauges.syncCount;
  await db.query(`select pg_logical_emit_message(true, 'satline', 'open')`);
  if (gauges.syncCount === before) {
    throw new Error('The embedded database does not sync its commits to disk; Satline refuses to run on it');
  }
}
