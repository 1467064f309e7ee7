import { type Handle, sqlState, statement } from '../db/database.ts';

const version = statement('installation_version', `select current_setting('server_version') as version`);
const migrations = statement('installation_migrations', 'select version from schema_migrations order by version');

/** Of the database engine, such as `17.5`. */
export async function findEngineVersion(db: Handle): Promise<string> {
  return (await db.maybeOne<{ version: string }>(version))!.version;
}

/** Numbers of the migrations that ran; none in a database that Satline has never opened. */
export async function listAppliedMigrations(db: Handle): Promise<number[]> {
  try {
    return (await db.many<{ version: number }>(migrations)).map((row) => row.version);
  } catch (error) {
    // There is no such table yet.
    if (sqlState(error) === '42P01') return [];
    throw error;
  }
}
