import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory that only its owner may open, and those it lies in. Node's own `recursive` does not end where none can
 * be made though all above are there, as below `/proc`, and says of a read-only disk that something is missing.
 */
export function makeDirectory(path: string): void {
  if (!existsSync(dirname(path))) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const isThere =
      (error as NodeJS.ErrnoException).code === 'EEXIST' && existsSync(path) && statSync(path).isDirectory();
    if (!isThere) throw error;
  }
}
