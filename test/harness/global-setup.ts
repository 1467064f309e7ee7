import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { scratchRoot } from './scratch-root.ts';

/**
 * Once per run: compiles dist/ (the embedded engine's worker thread and the tests that spawn real processes need it) and
 * prepares one migrated database that test files get copies of.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const built = spawnSync(process.execPath, ['scripts/build.js', '--lenient'], { stdio: 'inherit' });
  if (built.status !== 0) throw new Error('The build failed');
  const run = `${process.pid}`;
  process.env.SATLINE_TEST_RUN = run;
  const url = process.env.TEST_DATABASE_URL;
  return url ? setupPostgres(url, run) : setupEmbedded(run);
}

async function migrateWith(env: NodeJS.ProcessEnv): Promise<void> {
  const { readConfig } = await import('../../src/config.ts');
  const { buildParts } = await import('../../src/build-parts.ts');
  const { silentLog } = await import('../../src/kernel/log.ts');
  const built = await buildParts(readConfig(env), { log: silentLog, allowPrivateNetworks: true });
  await built.close();
}

async function setupPostgres(url: string, run: string): Promise<() => Promise<void>> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const template = `satline_test_${run}_template`;
  await admin.query(`create database ${template}`);
  const templateUrl = new URL(url);
  templateUrl.pathname = `/${template}`;
  await migrateWith({ DATABASE_URL: templateUrl.href, SECRETS_KEY: '11'.repeat(32) });
  return async () => {
    const { rows } = await admin.query<{ datname: string }>(
      `select datname from pg_database where datname like 'satline_test_${run}_%'`,
    );
    for (const { datname } of rows) await admin.query(`drop database if exists ${datname} with (force)`);
    await admin.end();
  };
}

async function setupEmbedded(run: string): Promise<() => Promise<void>> {
  const dir = join(scratchRoot(), `satline-test-${run}`);
  process.env.SATLINE_TEST_TEMPLATE = join(dir, 'template');
  await migrateWith({ DATA_DIR: process.env.SATLINE_TEST_TEMPLATE, SECRETS_KEY: '11'.repeat(32) });
  return async () => rmSync(dir, { recursive: true, force: true });
}
