import { openSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DurableNodeFS } from '../../../src/db/embedded/durable-fs.ts';
import { Engine } from '../../../src/db/embedded/engine.ts';
import { Gauges } from '../../../src/db/embedded/gauges.ts';
import { prepareCluster } from '../../../src/db/embedded/template.ts';
import { temporaryDirectory } from './engine-rig.ts';

const { path, remove } = temporaryDirectory();
let cluster: string;
beforeAll(async () => {
  cluster = await prepareCluster(path);
});
afterAll(remove);

const failed = vi.fn((error: unknown): never => {
  throw error;
});
const synced = vi.fn();

/** What PGlite would run before its engine starts. */
async function install(module: object): Promise<void> {
  const fs = new DurableNodeFS(cluster, { synced, failed });
  const { emscriptenOpts } = await fs.init({} as never, {});
  (emscriptenOpts.preRun!.at(-1) as (module: object) => void)(module);
}

describe('DurableNodeFS', () => {
  test('refuses a PGlite whose internals it does not know', async () => {
    await expect(install({})).rejects.toThrow('no place for a durable fsync');
    await expect(install({ NODEFS: { stream_ops: {} } })).rejects.toThrow('no place for a durable fsync');
  });

  test('syncs files and directories, and reports a failure instead of returning', async () => {
    const operations: { fsync?: (stream: object) => number } = {};
    await install({ NODEFS: { stream_ops: operations, realPath: (node: string) => node } });
    expect(operations.fsync!({ nfd: openSync(`${cluster}/PG_VERSION`, 'r+') })).toBe(0);
    expect(operations.fsync!({ node: cluster })).toBe(0);
    expect(synced).toHaveBeenCalledTimes(2);
    expect(() => operations.fsync!({ node: `${cluster}/missing` })).toThrow('ENOENT');
    expect(failed).toHaveBeenCalledOnce();
    expect(synced).toHaveBeenCalledTimes(2);
  });
});

describe('opening the engine', () => {
  test('fails when commits do not reach the disk', async () => {
    class UntouchedGauges extends Gauges {
      override countSync(): void {}
    }
    const opened = Engine.open({
      dataDirectory: cluster,
      gauges: new UntouchedGauges(),
      fatal: failed,
      notice: () => {},
    });
    await expect(opened).rejects.toThrow('does not sync its commits to disk');
  });
});
