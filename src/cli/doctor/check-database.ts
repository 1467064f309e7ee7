import type { Config } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import { readMigrations } from '../../db/migrate.ts';
import { findEngineVersion, listAppliedMigrations } from '../../store/installation.ts';
import { sentenceOf } from '../failure.ts';
import { hasDatabase, openDatabase } from '../open.ts';
import { type Check, ok, trouble, troubleOf } from './check.ts';

/** Opens what is there and makes nothing. @returns the database, to be closed, unless it cannot be used. */
export async function checkDatabase(config: Config): Promise<{ check: Check; db?: Database }> {
  if (!hasDatabase(config)) {
    const advice = 'Run "satline start" or "satline migrate" to make one, or set DATA_DIR or DATABASE_URL to yours.';
    return { check: trouble('database', `There is no database in ${config.dataDir} yet.`, advice) };
  }
  try {
    const db = await openDatabase(config);
    return { check: ok('database', await describeEngine(db), adviceOn(db)), db };
  } catch (error) {
    const sentence = sentenceOf(error);
    if (sentence === undefined) throw error;
    return { check: troubleOf('database', sentence) };
  }
}

async function describeEngine(db: Database): Promise<string> {
  const version = await findEngineVersion(db);
  return db.engine === 'postgres'
    ? `PostgreSQL ${version} answers.`
    : `Embedded database (PostgreSQL ${version}) opens.`;
}

function adviceOn(db: Database): string | undefined {
  if (db.engine === 'postgres') return undefined;
  return 'The embedded database is for trials and one till. For more live money, set DATABASE_URL to a PostgreSQL 15 or newer.';
}

export async function checkMigrations(db: Database): Promise<Check> {
  const known = await readMigrations();
  const applied = await listAppliedMigrations(db);
  const newest = known.at(-1)?.version ?? 0;
  const unknown = applied.find((version) => version > newest);
  if (unknown !== undefined) {
    const found = `The schema has number ${unknown}, and this Satline knows ${newest} at most.`;
    return trouble('migrations', found, 'Run the newer Satline that has opened this database.');
  }
  const missing = known.filter(({ version }) => !applied.includes(version)).map(({ name }) => name);
  if (missing.length === 0) return ok('migrations', `All ${known.length} applied.`);
  return trouble('migrations', `Not applied yet: ${missing.join(', ')}.`, 'Run "satline migrate", or start Satline.');
}
