import pg from 'pg';
import type { Logger } from '../kernel/log.ts';
import type { Statement, Statements } from './database.ts';
import { toParameter, typeParsers } from './parameters.ts';
import { StatementQuery, type StatementResult } from './statement-query.ts';
import { orUnavailable } from './unavailable.ts';

type Client = pg.Client | pg.PoolClient;

/**
 * Sends statements over a client. `guard` runs before each statement and may refuse it; `giveBack` gets the client after it.
 */
export function statementsOn<C extends Client>(
  client: (statement: Statement) => Promise<C> | C,
  guard: () => void = () => {},
  giveBack?: (client: C) => void,
): Statements {
  async function send(statement: Statement, values: readonly unknown[] = []): Promise<StatementResult> {
    guard();
    // First of all: a value that can't be sent must not cost a connection.
    const parameters = values.map(toParameter);
    const open = client(statement);
    const ready = open instanceof Promise ? await orUnavailable(open) : open;
    gather(ready, statement.isGathered ? process.nextTick : setImmediate);
    return new Promise((resolve, reject) => {
      const query = new StatementQuery(statement, parameters, (error, result) => {
        giveBack?.(ready);
        if (error) reject(error);
        else resolve(result);
      });
      ready.query(query);
    });
  }
  return {
    many: async <Row>(statement: Statement, values?: readonly unknown[]) =>
      (await send(statement, values)).rows as Row[],
    maybeOne: async <Row>(statement: Statement, values?: readonly unknown[]) =>
      (await send(statement, values)).rows[0] as Row | undefined,
    run: async (statement, values) => (await send(statement, values)).count,
  };
}

/** Connections that one caller at a time holds. `lost` is what the log says of one that breaks while nobody does. */
export function openPool(config: pg.PoolConfig, log: Logger, lost: string): pg.Pool {
  const pool = new pg.Pool({ ...config, pipeline: true, types: typeParsers } as pg.PoolConfig);
  pool.on('error', (error: Error & { client?: unknown }) => {
    // The whole client, with the key that cancels its statements, is no line for a log.
    delete error.client;
    log.warn({ err: error }, lost);
  });
  // One that breaks while it is held fails its holder's statement. Its event tells nobody anything new, but without a
  // listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Lets all that is written to a connection until `later` leave together: one system call, one packet.
 * @param later `setImmediate` for all that one turn of the event loop writes.
 */
export function gather(client: Client, later: (leave: () => void) => unknown = setImmediate): void {
  const { stream } = (client as unknown as { connection: pg.Connection }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  later(() => stream.uncork());
}

/**
 * A few connections that carry single statements of many callers at once, pipelined. The first is for short reads alone:
 * what many requests ask in one turn of the event loop leaves in one packet and comes back in few, where four connections
 * would take four times as many. Never used for transactions. A broken one is replaced at the next statement.
 */
export class SharedConnections {
  readonly #slots: (Promise<pg.Client> | undefined)[];
  readonly #config: pg.ClientConfig;
  readonly #log: Logger;
  #next = 0;
  #closed = false;

  /** @param count at least two: one for short reads, the rest for everything else. */
  constructor(config: pg.ClientConfig, count: number, log: Logger) {
    this.#config = config;
    this.#slots = new Array(count).fill(undefined);
    this.#log = log;
  }

  get({ isShortRead }: Pick<Statement, 'isShortRead'>): Promise<pg.Client> {
    if (this.#closed) return Promise.reject(new Error('The database is closed'));
    const slot = isShortRead ? 0 : 1 + (this.#next++ % (this.#slots.length - 1));
    const open = this.#slots[slot] ?? this.#connect(slot);
    this.#slots[slot] = open;
    return open;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const open = this.#slots.filter((slot) => slot !== undefined);
    await Promise.all(open.map((slot) => slot.then((client) => client.end()).catch(() => {})));
  }

  async #connect(slot: number): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#config, pipeline: true, types: typeParsers } as pg.ClientConfig);
    const forget = () => {
      this.#slots[slot] = undefined;
    };
    client.on('error', (error) => {
      this.#log.warn({ err: error }, 'database connection lost');
      forget();
    });
    client.on('end', forget);
    try {
      await client.connect();
      return client;
    } catch (error) {
      forget();
      throw error;
    }
  }
}
