/**
 * A named SQL text. Named statements are prepared once per connection, which is worth 1.4 to 1.6 times the reads;
 * a statement whose text is put together per call (list filters) stays unnamed so that no connection collects plans.
 */
export interface Statement {
  readonly name: string | undefined;
  readonly text: string;
  /** A short read: it may share a connection with many others, where nothing slow may stand in their way. */
  readonly isShortRead: boolean;
  /**
   * Asks for many callers already (db/gathered-read.ts): it waits for nothing but the others that are sent for the same
   * callers, so that the database works on them while this process reads what else has come. Its arrays stand as
   * `(select $1::uuid[])`: one that the planner sees has it make a plan at every call, which takes longer than the read.
   */
  readonly isGathered: boolean;
}

const taken = new Set<string>();

/** Declares a prepared statement. @throws when two statements share a name: the wrong one would run. */
export function statement(name: string, text: string, { isGathered = false } = {}): Statement {
  if (taken.has(name)) throw new Error(`Two SQL statements are named ${name}`);
  taken.add(name);
  // Reads that are declared are bounded and have their index; writes wait for the disk, lists may be long.
  return Object.freeze({ name, text, isShortRead: /^\s*select\b/i.test(text), isGathered });
}

/** A statement whose text depends on the call. */
export function dynamicStatement(text: string): Statement {
  return { name: undefined, text, isShortRead: false, isGathered: false };
}

/** A signal that something may have changed. It can be lost: whoever listens also polls. */
export type WakeChannel = 'invoice_due' | 'invoice_changed' | 'event_recorded' | 'request_settled' | 'requests_counted';

/** Sends statements somewhere. */
export interface Statements {
  many<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  maybeOne<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row | undefined>;
  /** The number of rows that were changed. */
  run(statement: Statement, values?: readonly unknown[]): Promise<number>;
}

/** What every store function takes first: the database itself or a running transaction. */
export interface Handle extends Statements {
  /**
   * Tells all processes, this one at once; calls in the same instant are sent as one. In a transaction it waits until the
   * commit has been acknowledged, each subject is told once, and nothing is told of what was rolled back.
   */
  wake(channel: WakeChannel, subject: string): void;
}

export interface Transaction extends Handle {
  /** Runs after the commit has been acknowledged; for signals only, never for something that must happen. */
  afterCommit(effect: () => void): void;
}

export interface Database extends Handle {
  readonly engine: 'embedded' | 'postgres';
  /**
   * Runs `work` in one transaction, joining nothing: a call inside another transaction throws. Deadlocks (40P01) and
   * serialisation failures (40001) are tried once more, so `work` must not have effects outside the database.
   * @throws {UnknownOutcome} when the connection broke during the commit and the database can't be asked about it.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Reads several statements as one moment saw them. Nothing can be written. */
  snapshot<T>(work: (tx: Handle) => Promise<T>): Promise<T>;
  /** @returns a function that stops listening. */
  onWake(channel: WakeChannel, listener: (subject: string) => void): () => void;
  close(): Promise<void>;
}

/** SQLSTATE of a database error, undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code;
  // With a digit at least, unlike the system's EPIPE.
  return typeof code === 'string' && /^(?=.*\d)[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** The violated constraint's name when `error` is a unique violation (23505). */
export function violatedUnique(error: unknown): string | undefined {
  return sqlState(error) === '23505' ? (error as { constraint?: string }).constraint : undefined;
}
