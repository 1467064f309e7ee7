import { printable } from './output.ts';

/**
 * Runs something that goes on until Ctrl-C, which is how it is meant to end. What is told to the person goes to standard
 * error: standard output is for what was asked for.
 */
export async function untilInterrupted(
  work: (signal: AbortSignal, note: (text: string) => void) => Promise<void>,
): Promise<void> {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  process.once('SIGTERM', () => interrupted.abort());
  // Whoever reads our output may have seen enough, as `head` has.
  process.stdout.on('error', () => interrupted.abort());
  await work(interrupted.signal, (text) => void process.stderr.write(`${printable(text)}\n`));
}
