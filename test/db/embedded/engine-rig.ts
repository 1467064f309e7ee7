import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { vi } from 'vitest';
import { type EmbeddedEngine, type EmbeddedOptions, openEmbedded } from '../../../src/db/embedded/open.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { scratchRoot } from '../../harness/scratch-root.ts';

export interface EngineRig {
  engine: EmbeddedEngine;
  pool: pg.Pool;
  close(): Promise<void>;
}

// Opening after a crash syncs two thousand files, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** A directory for one test file; `remove` belongs into `afterAll`. */
export function temporaryDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(scratchRoot(), 'satline-embedded-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** An open engine and a pool with the listeners that its contract asks for. */
export async function openRig(dir: string, options: Partial<EmbeddedOptions> = {}): Promise<EngineRig> {
  const engine = await openEmbedded({ dir, log: silentLog, ...options });
  const pool = new pg.Pool({ ...engine.poolConfig(), max: 1 });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    engine,
    pool,
    close: async () => {
      await pool.end();
      await engine.close();
    },
  };
}

/** Tries until the engine answers again. @returns the codes of the failures on the way. */
export async function untilBack(pool: pg.Pool): Promise<string[]> {
  const codes: string[] = [];
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(25)) {
    try {
      await pool.query('select 1');
      return codes;
    } catch (error) {
      codes.push((error as { code: string }).code);
    }
  }
  throw new Error(`the embedded database did not come back: ${codes.slice(-3)}`);
}

/** Starts `children/<name>.js`, which works on the compiled engine. */
export function startChild(
  name: string,
  args: string[],
  options: { uid?: number; under?: string[] } = {},
): ChildProcess {
  const script = fileURLToPath(new URL(`./children/${name}.js`, import.meta.url));
  const command = [...(options.under ?? []), process.execPath, script, ...args];
  return spawn(command[0]!, command.slice(1), {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
}

/** Resolves with the first line that a child prints; rejects when it ends without one. */
export async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
  }
  throw new Error(`the child ended early: ${text}`);
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** SQLSTATE or system code of the error that `work` must fail with. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return (error as { code: string }).code;
  }
  throw new Error('it was expected to fail');
}
