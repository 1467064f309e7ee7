import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { syncDirectory } from './sync-directory.ts';

/** Major version of the PostgreSQL inside the pinned PGlite. */
export const postgresMajor = '18';

const stagingPrefix = 'pg.unpacking-';
const blockBytes = 512;
/** Far fewer than a process may have open. */
const filesAtOnce = 100;
const sync = promisify(fdatasync);

interface TarFile {
  path: string;
  bytes: Uint8Array;
}

/**
 * Makes sure that `parent` holds a cluster this PostgreSQL can open, and unpacks the shipped one on the first start.
 * Whatever a killed start left behind is removed, so the caller must hold the lock. @returns the cluster's path.
 * @throws when the directory belongs to another PostgreSQL or is no cluster.
 */
export async function prepareCluster(parent: string): Promise<string> {
  for (const name of readdirSync(parent)) {
    if (name.startsWith(stagingPrefix)) rmSync(join(parent, name), { recursive: true });
  }
  const cluster = join(parent, 'pg');
  if (existsSync(cluster)) requireVersion(cluster);
  else await unpackTemplate(parent, cluster);
  return cluster;
}

function requireVersion(cluster: string): void {
  const file = join(cluster, 'PG_VERSION');
  if (!existsSync(file)) throw new Error(`${cluster} exists but is not a database directory (PG_VERSION is missing)`);
  const version = readFileSync(file, 'latin1').trim();
  if (version !== postgresMajor) {
    throw new Error(
      `${cluster} was made by PostgreSQL ${version}; this Satline brings PostgreSQL ${postgresMajor}. ` +
        'Export the data with the Satline that made it and import it into a new directory.',
    );
  }
}

/** Durable before it gets its name: a kill or a power cut leaves either no cluster or a whole one. */
async function unpackTemplate(parent: string, cluster: string): Promise<void> {
  const packed = readFileSync(new URL('./template.tar.br', import.meta.url));
  const staging = join(parent, `${stagingPrefix}${randomBytes(6).toString('hex')}`);
  mkdirSync(staging, { mode: 0o700 });
  await unpackTar(brotliDecompressSync(packed), staging);
  renameSync(staging, cluster);
  syncDirectory(parent);
}

/** Reads the ustar format as far as `scripts/build-embedded-template.js` writes it. */
async function unpackTar(tar: Buffer, root: string): Promise<void> {
  const folders = [root];
  const files: TarFile[] = [];
  for (let at = 0; tar[at] !== 0; ) {
    const path = join(root, textAt(tar, at, 100));
    const size = Number.parseInt(textAt(tar, at + 124, 12), 8);
    const type = textAt(tar, at + 156, 1);
    at += blockBytes;
    if (type === '5') {
      mkdirSync(path, { mode: 0o700 });
      folders.push(path);
    } else if (type === '0') {
      files.push({ path, bytes: tar.subarray(at, at + size) });
      at += Math.ceil(size / blockBytes) * blockBytes;
    } else {
      throw new Error(`The database template holds an entry of type "${type}"`);
    }
  }
  for (let at = 0; at < files.length; at += filesAtOnce) await writeDurably(files.slice(at, at + filesAtOnce));
  for (const folder of folders) syncDirectory(folder);
}

function textAt(tar: Buffer, at: number, length: number): string {
  const field = tar.toString('latin1', at, at + length);
  const end = field.indexOf('\0');
  return end < 0 ? field : field.slice(0, end);
}

/** Written first and then synced together: a disk makes several files durable in hardly more time than one. */
async function writeDurably(files: TarFile[]): Promise<void> {
  const descriptors: number[] = [];
  try {
    for (const { path, bytes } of files) {
      const descriptor = openSync(path, 'wx', 0o600);
      descriptors.push(descriptor);
      writeFileSync(descriptor, bytes);
    }
    // An empty file is nothing but its folder's entry, which is synced with the folder.
    await Promise.all(files.map(({ bytes }, index) => bytes.length > 0 && sync(descriptors[index]!)));
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}
