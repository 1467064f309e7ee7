import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file whole or not at all, readable by its owner only. What it says has reached the disk on return. */
export async function replaceFile(path: string, text: string): Promise<void> {
  // A name of its own: two processes may share a folder.
  const half = `${path}.${process.pid}.new`;
  const file = await open(half, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(half, path);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
