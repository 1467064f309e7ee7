import { readFile } from 'node:fs/promises';

/** The text of a file, undefined when there is none. What else goes wrong names the file, which Node leaves out of a read. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw Object.assign(error as NodeJS.ErrnoException, { path });
  }
}
