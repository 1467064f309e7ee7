import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { EmbeddedEngine } from '../../src/db/embedded/open.ts';
import { scratchRoot } from './scratch-root.ts';
import { WarmDatabase } from './warm-database.ts';

export const secretsKey = '11'.repeat(32);
export const onPostgres = process.env.TEST_DATABASE_URL !== undefined;

export interface TestDatabase {
  /** What a process needs in its environment to use it. */
  env: NodeJS.ProcessEnv;
  /** The engine that has it open already, where it is one of those that serve file after file. */
  engine?: EmbeddedEngine;
  drop(): Promise<void>;
}

let count = 0;

/** A migrated database of one's own: a copy of the run's template. */
export const createTestDatabase = (): Promise<TestDatabase> => create({ migrated: true });

const idle: WarmDatabase[] = [];

/** A migrated database for an app in this process alone: nobody else may open what its `env` names. */
export async function borrowTestDatabase(): Promise<TestDatabase> {
  const warm = idle.pop() ?? (await WarmDatabase.open(await createTestDatabase()));
  return {
    ...warm.database,
    drop: async () => {
      await warm.empty();
      idle.push(warm);
    },
  };
}

/** A database without a schema, as a first start finds it. */
export const createEmptyDatabase = (): Promise<TestDatabase> => create({ migrated: false });

async function create({ migrated }: { migrated: boolean }): Promise<TestDatabase> {
  const run = process.env.SATLINE_TEST_RUN;
  const name = `${process.pid}_${count++}`;
  if (!onPostgres) {
    const dir = join(scratchRoot(), `satline-test-${run}`, name);
    if (migrated) cpSync(process.env.SATLINE_TEST_TEMPLATE!, dir, { recursive: true });
    return {
      env: { DATA_DIR: dir, SECRETS_KEY: secretsKey },
      drop: async () => rmSync(dir, { recursive: true, force: true }),
    };
  }
  const database = `satline_test_${run}_${name}`;
  const template = migrated ? ` template satline_test_${run}_template` : '';
  await asAdmin((admin) => admin.query(`create database ${database}${template}`));
  const url = new URL(process.env.TEST_DATABASE_URL!);
  url.pathname = `/${database}`;
  return {
    env: { DATABASE_URL: url.href, SECRETS_KEY: secretsKey },
    drop: () => asAdmin((admin) => admin.query(`drop database if exists ${database} with (force)`)),
  };
}

async function asAdmin(work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: process.env.TEST_DATABASE_URL });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
