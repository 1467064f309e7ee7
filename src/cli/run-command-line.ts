import { CommanderError } from 'commander';
import { sentenceOf } from './failure.ts';
import { printable } from './output.ts';
import { buildProgram } from './program.ts';

const failed = 1;
const wrongUsage = 2;

/** Runs one command line. @returns the exit code. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const asJson = words.includes('--json');
  try {
    await buildProgram().parseAsync(words, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version come here too, with code 0. What was wrong has been printed.
      if (error.exitCode === 0) return 0;
      if (asJson) printError(error.message.replace(/^error: /, ''), wrongUsage);
      return wrongUsage;
    }
    const sentence = sentenceOf(error);
    const { message, stack } = error as Error;
    process.stderr.write(`${printable(sentence ?? `Nobody foresaw this fault: ${stack ?? message}`)}\n`);
    if (asJson) printError(sentence ?? message, failed);
    return failed;
  }
}

/** With `--json` a failure is JSON as well, so that a script reads one thing. */
function printError(message: string, exitCode: number): void {
  process.stdout.write(`${JSON.stringify({ object: 'error', message, exit_code: exitCode }, null, 2)}\n`);
}
