import { join } from 'node:path';
import pg from 'pg';
import { openEmbedded } from '../../src/db/embedded/open.ts';
import { silentLog } from '../../src/kernel/log.ts';
import type { TestDatabase } from './database.ts';

/** Those that belong to no column. A migrated schema begins without any. */
const ownSequences = `
  select quote_ident(relname) as name from pg_class sequence
   where relkind = 'S' and relnamespace = 'public'::regnamespace
     and not exists (select from pg_depend where objid = sequence.oid and deptype in ('a', 'i'))`;

/** What a migrated schema begins with, by table: its rows as JSON. */
type FirstRows = Map<string, string>;

/**
 * A database that serves one test file after the other: an embedded engine takes longer to open than most files run, and
 * PostgreSQL longer to copy its template. In between it is emptied, so that each finds what a fresh migration leaves.
 */
export class WarmDatabase {
  readonly database: TestDatabase;
  readonly #connection: pg.ClientConfig;
  readonly #firstRows: FirstRows;

  /** @param database just migrated, and nobody else's. */
  static async open(database: TestDatabase): Promise<WarmDatabase> {
    const { DATA_DIR, DATABASE_URL } = database.env;
    if (DATABASE_URL !== undefined) {
      const connection = { connectionString: DATABASE_URL };
      return new WarmDatabase(database, connection, await withClient(connection, readRows));
    }
    const engine = await openEmbedded({ dir: join(DATA_DIR!, 'db'), log: silentLog });
    const connection = engine.poolConfig();
    return new WarmDatabase({ ...database, engine }, connection, await withClient(connection, readRows));
  }

  private constructor(database: TestDatabase, connection: pg.ClientConfig, firstRows: FirstRows) {
    this.database = database;
    this.#connection = connection;
    this.#firstRows = firstRows;
  }

  empty(): Promise<void> {
    return withClient(this.#connection, async (client) => {
      const filled = await filledTables(client);
      await client.query('begin');
      await client.query(`truncate ${filled.join(', ')} restart identity cascade`);
      for (const [table, rows] of this.#firstRows) {
        await client.query(
          `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1)`,
          [rows],
        );
      }
      // Made as the files went along: the numbers of each merchant's orders.
      const { rows: made } = await client.query<{ name: string }>(ownSequences);
      if (made.length > 0) await client.query(`drop sequence ${made.map(({ name }) => name).join(', ')}`);
      await client.query('commit');
    });
  }
}

async function withClient<T>(connection: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function filledTables(client: pg.Client): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const each = tables.map(({ name }) => `select '${name}' as name where exists (select from ${name})`);
  return (await client.query<{ name: string }>(each.join(' union all '))).rows.map(({ name }) => name);
}

async function readRows(client: pg.Client): Promise<FirstRows> {
  const found: FirstRows = new Map();
  for (const name of await filledTables(client)) {
    const { rows } = await client.query<{ rows: string }>(`select json_agg(t)::text as rows from ${name} t`);
    found.set(name, rows[0]!.rows);
  }
  return found;
}
