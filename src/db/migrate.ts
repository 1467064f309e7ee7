import { readdir, readFile } from 'node:fs/promises';
import { type Database, dynamicStatement, statement } from './database.ts';

const folder = new URL('./migrations/', import.meta.url);
// Any fixed number will do; all Satline processes must use the same.
const lockNumber = 7_283_112;

const lock = statement('migrate_lock', 'select pg_advisory_xact_lock($1)');
const createTable = statement(
  'migrate_create_table',
  `create table if not exists schema_migrations (
     version integer primary key,
     name text not null,
     applied_at timestamptz(3) not null default now()
   )`,
);
const applied = statement('migrate_applied', 'select version from schema_migrations order by version');
const record = statement('migrate_record', 'insert into schema_migrations (version, name) values ($1, $2)');

interface Migration {
  version: number;
  name: string;
  text: string;
}

/** The numbered files in `migrations/`, in order. */
export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => ({
      version: Number(name.slice(0, 4)),
      name: name.slice(5, -4),
      text: await readFile(new URL(name, folder), 'utf8'),
    })),
  );
}

/**
 * Brings the schema up to date in one transaction under an advisory lock, so that processes that start together wait
 * for the first one and then find nothing to do. @returns the names of the migrations that ran.
 * @throws when the database was migrated by a newer Satline.
 */
export async function migrate(db: Database): Promise<string[]> {
  const migrations = await readMigrations();
  return db.transaction(async (tx) => {
    await tx.run(lock, [lockNumber]);
    await tx.run(createTable);
    const done = new Set((await tx.many<{ version: number }>(applied)).map((row) => row.version));
    const newest = migrations.at(-1)?.version ?? 0;
    const unknown = [...done].find((version) => version > newest);
    if (unknown !== undefined) {
      throw new Error(
        `The database has schema ${unknown}, newer than this Satline knows (${newest}); start a newer one`,
      );
    }
    const waiting = migrations.filter((migration) => !done.has(migration.version));
    for (const migration of waiting) {
      // Without parameters the whole file goes in one simple query, so it may hold many statements.
      await tx.run(dynamicStatement(migration.text));
      await tx.run(record, [migration.version, migration.name]);
    }
    return waiting.map((migration) => migration.name);
  });
}
