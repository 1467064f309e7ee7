#!/usr/bin/env node
/**
 * Builds the fresh database cluster that the embedded engine unpacks on its first start:
 *
 *     node scripts/build.js && node scripts/build-embedded-template.js
 *
 * Running initdb on the user's machine instead takes several seconds and 800 MB. The tables of all migrations so far are
 * in it; a first start runs only newer ones, so a new migration needs no new template. Run this again whenever the pinned
 * PGlite changes, and commit both outputs; `test/db/embedded/template.test.ts` fails while they disagree.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { openEmbeddedDatabase } from '#product/db/embedded.js';
import { migrate, readMigrations } from '#product/db/migrate.js';
import { silentLog } from '#product/kernel/log.js';

const target = join(import.meta.dirname, '../src/db/embedded');
const scratch = mkdtempSync(join(tmpdir(), 'satline-template-'));

try {
  const cluster = join(scratch, 'pg');
  await createCluster(cluster);
  await createTables(scratch);
  const postgres = await finishCluster(cluster);
  const tar = Buffer.concat([...entries(cluster, ''), Buffer.alloc(1024)]);
  const packed = brotliCompressSync(tar, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 11,
      [constants.BROTLI_PARAM_LGWIN]: 24,
      [constants.BROTLI_PARAM_SIZE_HINT]: tar.length,
    },
  });
  const about = {
    pglite: pgliteVersion(),
    postgres,
    schema: await describeSchema(),
    tarBytes: tar.length,
    sha256: createHash('sha256').update(packed).digest('hex'),
  };
  writeFileSync(join(target, 'template.tar.br'), packed);
  writeFileSync(join(target, 'template.json'), `${JSON.stringify(about, null, 2)}\n`);
  console.log(`template.tar.br: ${packed.length} bytes`, about);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** As initdb leaves it, without the databases that others would be copied from. */
async function createCluster(directory) {
  const db = await openCluster(directory);
  // Nobody makes databases here, and each template is a third of all files: a first start writes and syncs every one.
  for (const template of ['template0', 'template1']) {
    await db.exec(`alter database ${template} is_template false`);
    await db.exec(`drop database ${template}`);
  }
  await db.close();
}

/** The way a start does it. */
async function createTables(parent) {
  const db = await openEmbeddedDatabase({ dir: parent, log: silentLog });
  try {
    await migrate(db);
  } finally {
    await db.close();
  }
}

/** Closed in good order, so that the first open of a copy has nothing to recover. @returns the version of PostgreSQL. */
async function finishCluster(directory) {
  const db = await openCluster(directory);
  await db.exec('vacuum freeze');
  const { rows } = await db.query('show server_version');
  await db.close();
  return rows[0].server_version;
}

/** The last migration that is in it, and what all of them said: one that is changed later would not be run again. */
async function describeSchema() {
  const migrations = await readMigrations();
  const hash = createHash('sha256');
  for (const { text } of migrations) hash.update(text);
  return { version: migrations.at(-1)?.version, sha256: hash.digest('hex') };
}

async function openCluster(directory) {
  const db = new PGlite(directory, {
    initDbStartParams: ['--wal-segsize=1'],
    // Segments of the log that are done with would be kept for later, full of what nobody reads.
    startParams: [...PGlite.defaultStartParams, '-c', 'wal_recycle=off'],
  });
  await db.waitReady;
  return db;
}

/** PGlite's package does not export its package.json, so walk up from its entry. */
function pgliteVersion() {
  let folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'));
  for (;;) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      if (manifest.name === '@electric-sql/pglite') return manifest.version;
    } catch {}
    folder = dirname(folder);
  }
}

/** Sorted, and without times and owners, so that two builds differ only where the clusters do. */
function* entries(root, folder) {
  const list = readdirSync(join(root, folder), { withFileTypes: true });
  list.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of list) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      yield header(`${name}/`, '5', 0);
      yield* entries(root, name);
    } else if (entry.name !== 'postmaster.pid') {
      const bytes = readFileSync(join(root, name));
      yield header(name, '0', bytes.length);
      yield bytes;
      yield Buffer.alloc(-bytes.length & 511);
    }
  }
}

/** One ustar header (POSIX.1-1988). Cluster paths are short, so the prefix field stays empty. */
function header(name, type, size) {
  if (Buffer.byteLength(name) > 100) throw new Error(`path too long for this tar: ${name}`);
  const block = Buffer.alloc(512);
  const octal = (value, at, length) => block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  block.write(name, 0, 'utf8');
  octal(type === '5' ? 0o700 : 0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write('        ', 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
