import { vi } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';

/** Runs a command in this process, which is quicker than one of its own. @returns what it printed. */
export async function printedBy(env: NodeJS.ProcessEnv, ...words: string[]): Promise<string> {
  const printed: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => printed.push(String(chunk)) > 0);
  const before = { ...process.env };
  Object.assign(process.env, { RATE_SOURCES: 'fixed:50000', LOG_LEVEL: 'silent', ...env });
  try {
    await buildProgram().parseAsync(words, { from: 'user' });
    return printed.join('');
  } finally {
    process.env = before;
    process.exitCode = undefined;
    vi.restoreAllMocks();
    // Each command listens for the end of its reader and for Ctrl-C.
    process.stdout.removeAllListeners('error');
    process.removeAllListeners('SIGINT');
  }
}
