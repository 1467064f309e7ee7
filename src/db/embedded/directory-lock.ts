import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Another process, or another part of this one, works in the directory. */
export class EmbeddedDirectoryInUse extends Error {
  readonly directory: string;

  constructor(directory: string, holder: string) {
    super(
      `The embedded database in ${directory} is in use by ${holder}. Stop that process first, or choose another directory.`,
    );
    this.name = 'EmbeddedDirectoryInUse';
    this.directory = directory;
  }
}

interface DirectoryLock {
  release(): void;
}

/**
 * Takes the directory for this process with flock(2). Two engines on one directory destroy it, and a process id in a
 * file proves nothing (PGlite writes one and ignores it). The kernel drops this lock when the process ends, however
 * that happens. Node cannot call flock itself, so the `flock` program locks the descriptor it inherits: the lock
 * belongs to the open file, not to the program.
 *
 * @throws {EmbeddedDirectoryInUse} when somebody else holds it.
 * @throws when locking is impossible here: without a lock nothing would keep a second process out.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const path = join(directory, 'lock');
  const descriptor = openSync(path, 'a+', 0o600);
  try {
    const { error, status, stderr } = spawnSync('flock', ['-n', '-x', '3'], {
      stdio: ['ignore', 'ignore', 'pipe', descriptor],
    });
    if (status === 1) throw new EmbeddedDirectoryInUse(directory, holderIn(path));
    if (status !== 0) {
      const reason = error
        ? `the program "flock" cannot be run (${error.message})`
        : `flock says: ${stderr.toString().trim()}`;
      throw new Error(
        `Cannot lock ${directory}: ${reason}. A second process on the same directory would destroy the database. ` +
          'Install flock (Debian: util-linux, Alpine: busybox) and keep DATA_DIR on a local disk, or set DATABASE_URL ' +
          'to a PostgreSQL, which needs no lock.',
      );
    }
    writeHolder(descriptor);
    return { release: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** For the message only. */
function writeHolder(descriptor: number): void {
  ftruncateSync(descriptor);
  writeSync(descriptor, `${process.pid}\n`);
}

function holderIn(path: string): string {
  const id = readFileSync(path, 'latin1').trim();
  return /^\d+$/.test(id) ? `process ${id}` : 'another process';
}
