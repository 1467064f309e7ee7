import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../bin/satline.js', import.meta.url));

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output as JSON. @throws when it is anything else, also around the JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers freely
  json(): any;
}

/** The built command line as a process, with this environment and nothing of ours. */
export async function satline(env: NodeJS.ProcessEnv, ...words: string[]): Promise<Run> {
  const child = spawnSatline(env, ...words);
  let stdout = '';
  let stderr = '';
  child.stdout!.on('data', (chunk) => (stdout += chunk));
  child.stderr!.on('data', (chunk) => (stderr += chunk));
  const [code] = await once(child, 'close');
  return { code, stdout, stderr, json: () => JSON.parse(stdout) };
}

export function spawnSatline(env: NodeJS.ProcessEnv, ...words: string[]): ChildProcess {
  return spawn(process.execPath, [program, ...words], {
    // Without DATA_DIR it would look for ./data.
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, RATE_SOURCES: 'fixed:50000', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
