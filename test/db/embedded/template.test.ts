import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { dynamicStatement } from '../../../src/db/database.ts';
import { openEmbedded } from '../../../src/db/embedded/open.ts';
import { postgresMajor, prepareCluster } from '../../../src/db/embedded/template.ts';
import { openEmbeddedDatabase } from '../../../src/db/embedded.ts';
import { migrate, readMigrations } from '../../../src/db/migrate.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { ended, firstLine, startChild, temporaryDirectory } from './engine-rig.ts';

const source = new URL('../../../src/db/embedded/', import.meta.url);
const nobody = 65534;

function readJson(url: URL) {
  return JSON.parse(readFileSync(url, 'utf8'));
}

describe('the shipped template', () => {
  const about = readJson(new URL('template.json', source));

  test('was built with the pinned PGlite', () => {
    const pinned = readJson(new URL('../../../package.json', import.meta.url)).dependencies['@electric-sql/pglite'];
    const installed = readJson(
      new URL('../../../node_modules/@electric-sql/pglite/package.json', import.meta.url),
    ).version;
    expect(about.pglite).toBe(pinned);
    expect(about.pglite).toBe(installed);
    expect(about.postgres.split('.')[0]).toBe(postgresMajor);
  });

  test('is the file that its description describes', () => {
    const packed = readFileSync(new URL('template.tar.br', source));
    expect(createHash('sha256').update(packed).digest('hex')).toBe(about.sha256);
  });
});

describe('the tables in the shipped template', () => {
  const { schema } = readJson(new URL('template.json', source));

  test('are those of migrations that have not changed since', async () => {
    const hash = createHash('sha256');
    for (const { version, text } of await readMigrations()) if (version <= schema.version) hash.update(text);
    expect(hash.digest('hex')).toBe(schema.sha256);
  });

  test('are brought up to date at the first start, as any older ones are', async () => {
    const { path, remove } = temporaryDirectory();
    const db = await openEmbeddedDatabase({ dir: path, log: silentLog });
    try {
      const later = (await readMigrations()).filter(({ version }) => version > schema.version);
      expect(await migrate(db)).toEqual(later.map(({ name }) => name));
      // What a template from before that migration holds.
      await db.run(dynamicStatement('drop table tries'));
      await db.run(dynamicStatement(`delete from schema_migrations where name = 'tries'`));
      expect(await migrate(db)).toEqual(['tries']);
      expect(await db.many(dynamicStatement('select * from tries'))).toEqual([]);
    } finally {
      await db.close();
      remove();
    }
  });
});

describe('prepareCluster', () => {
  const { path, remove } = temporaryDirectory();
  afterAll(remove);

  test('unpacks for the owner only, keeps empty directories and removes what a killed start left', async () => {
    mkdirSync(join(path, 'pg.unpacking-0123456789ab/base'), { recursive: true });
    writeFileSync(join(path, 'pg.unpacking-0123456789ab/PG_VERSION'), '18\n');
    const cluster = await prepareCluster(path);
    expect(readdirSync(path)).toEqual(['pg']);
    expect(readFileSync(join(cluster, 'PG_VERSION'), 'utf8')).toBe(`${postgresMajor}\n`);
    expect(existsSync(join(cluster, 'pg_notify'))).toBe(true);
    for (const entry of readdirSync(cluster, { withFileTypes: true, recursive: true })) {
      const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
      expect(mode, entry.name).toBe(entry.isDirectory() ? 0o700 : 0o600);
    }
  });

  test('leaves an existing cluster alone', async () => {
    const marker = join(path, 'pg/marker');
    writeFileSync(marker, 'mine');
    await prepareCluster(path);
    expect(readFileSync(marker, 'utf8')).toBe('mine');
  });
});

describe('a directory that is not ours to open', () => {
  test.each([
    ['another PostgreSQL', '17\n', /made by PostgreSQL 17; this Satline brings PostgreSQL 18/],
    ['something else', undefined, /is not a database directory/],
  ])('is refused: %s', async (_name, version, message) => {
    const { path, remove } = temporaryDirectory();
    try {
      mkdirSync(join(path, 'pg'));
      if (version !== undefined) writeFileSync(join(path, 'pg/PG_VERSION'), version);
      await expect(openEmbedded({ dir: path, log: silentLog })).rejects.toThrow(message);
      // The lock is free again: the same refusal, not "in use".
      await expect(openEmbedded({ dir: path, log: silentLog })).rejects.toThrow(message);
    } finally {
      remove();
    }
  });
});

describe('the first start', () => {
  test('needs no right to write in the package', async (context) => {
    if (process.getuid?.() !== 0) {
      console.log('SKIPPED: only root can start a process as somebody who may not write in the package');
      return context.skip();
    }
    const { path, remove } = temporaryDirectory();
    try {
      chmodSync(path, 0o777);
      accessSync(new URL('../../../dist/db/embedded/template.tar.br', import.meta.url), constants.R_OK);
      const child = startChild('open-once', [join(path, 'data')], { uid: nobody });
      expect(await firstLine(child)).toBe('opened');
      await ended(child);
      expect(statSync(join(path, 'data')).mode & 0o777).toBe(0o700);
      expect(statSync(join(path, 'data/pg/base')).uid).toBe(nobody);
    } finally {
      remove();
    }
  });
});
