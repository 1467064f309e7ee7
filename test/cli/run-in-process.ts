import { vi } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { Run } from './run-satline.ts';

/** Runs a command in this process, which is quicker than one of its own. @returns what it printed. @throws its failure. */
export async function printedBy(env: NodeJS.ProcessEnv, ...words: string[]): Promise<string> {
  const { stdout } = await lendProcess(env, () => buildProgram().parseAsync(words, { from: 'user' }));
  return stdout;
}

/** Runs a command in this process as the built command line would in its own. */
export async function satlineHere(env: NodeJS.ProcessEnv, ...words: string[]): Promise<Run> {
  const { result: code, stdout, stderr } = await lendProcess(env, () => runCommandLine(words));
  return { code, stdout, stderr, json: () => JSON.parse(stdout) };
}

/** Gives some work this environment and nothing of ours, and keeps what it prints. */
async function lendProcess<Result>(env: NodeJS.ProcessEnv, work: () => Promise<Result>) {
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
      printed[stream] += chunk;
      return true;
    });
  }
  const before = process.env;
  process.env = { PATH: before.PATH, RATE_SOURCES: 'fixed:50000', ...env };
  try {
    return { result: await work(), ...printed };
  } finally {
    process.env = before;
    process.exitCode = undefined;
    vi.restoreAllMocks();
    // Each command listens for the end of its reader and for Ctrl-C.
    process.stdout.removeAllListeners('error');
    process.removeAllListeners('SIGINT');
  }
}
