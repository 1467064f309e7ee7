import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { entries } from '../../../src/config.ts';
import { EmbeddedDirectoryInUse, lockDirectory } from '../../../src/db/embedded/directory-lock.ts';
import { openEmbedded } from '../../../src/db/embedded/open.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { ended, firstLine, openRig, startChild, temporaryDirectory } from './engine-rig.ts';

const { path: root, remove } = temporaryDirectory();
afterAll(remove);
afterEach(() => vi.unstubAllEnvs());

function freshDirectory(name: string): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  return path;
}

describe('the directory lock', () => {
  test('lets exactly one of eight simultaneous starters in after the owner was killed', async () => {
    // Longer than the address of a unix socket may be, which a lock by socket would trip over.
    const path = freshDirectory(`storm/${'long'.repeat(30)}`);
    const rounds = process.env.SOAK ? 17 : 3;
    let owner = startChild('lock-directory', [path]);
    expect(await firstLine(owner)).toBe('locked');
    for (let round = 0; round < rounds; round += 1) {
      owner.kill('SIGKILL');
      await ended(owner);
      const starters = Array.from({ length: 8 }, () => startChild('lock-directory', [path]));
      const answers = await Promise.all(starters.map(firstLine));
      expect(answers.toSorted()).toEqual([...Array(7).fill('EmbeddedDirectoryInUse'), 'locked']);
      owner = starters[answers.indexOf('locked')]!;
    }
    owner.kill('SIGKILL');
    await ended(owner);
  });

  test('takes no notice of what a dead process has left in its file (case C117)', () => {
    const path = freshDirectory('stale');
    for (const left of ['-42\n', '1\n', 'nonsense', '']) {
      writeFileSync(join(path, 'lock'), left);
      lockDirectory(path).release();
    }
  });

  test('also keeps the same process from opening a directory twice', async () => {
    const path = freshDirectory('twice');
    const rig = await openRig(path);
    const second = openEmbedded({ dir: path, log: silentLog });
    await expect(second).rejects.toThrow(EmbeddedDirectoryInUse);
    await expect(openEmbedded({ dir: path, log: silentLog })).rejects.toThrow(`in use by process ${process.pid}`);
    await rig.close();
    await (await openRig(path)).close();
  });

  test('refuses to start where there is no flock program, and says what can be done with the settings there are', async () => {
    const path = freshDirectory('no-program');
    vi.stubEnv('PATH', '/nonexistent');
    const refusal = await openEmbedded({ dir: path, log: silentLog }).catch((error: Error) => error.message);
    expect(refusal).toContain('the program "flock" cannot be run');
    const advised = String(refusal).match(/\b[A-Z]+_[A-Z_]+\b/g);
    expect(advised).toEqual(['DATA_DIR', 'DATABASE_URL']);
    for (const name of advised!) expect(entries).toHaveProperty(name);
  });
});
