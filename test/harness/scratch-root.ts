import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';

/**
 * Where databases of tests live: in memory where there is room. A killed process loses nothing there that it has
 * written, and a sync costs nothing; that commits sync at all is seen with strace.
 */
export function scratchRoot(): string {
  if (!existsSync(memory)) return tmpdir();
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 4e9 ? memory : tmpdir();
}
