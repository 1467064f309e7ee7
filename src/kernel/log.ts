import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger as PinoLogger, pino, symbols } from 'pino';

export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'child'>;

/** One JSON line per entry on standard output. Secrets have types that print as `[redacted]` (kernel/secrets.ts). */
export function createLog(level: string): Logger {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 16_000, periodicFlush: 100 });
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/**
 * Writes what the log still holds, for half a second at most. What is left then is given up: the flush that a process
 * ends with tries again for ever where nobody reads (any more), and the process would never be gone.
 */
export async function closeLog(log: Logger): Promise<void> {
  const destination = (log as PinoLogger & { [symbols.streamSym]: Destination })[symbols.streamSym];
  const written = new Promise<void>((resolve) => destination.flush(() => resolve()));
  await Promise.race([written, sleep(500, undefined, { ref: false })]);
  destination.flushSync = () => {};
}

interface Destination {
  flush(done: () => void): void;
  flushSync(): void;
}

/** A log that says nothing, for tests and tools. */
export const silentLog: Logger = pino({ level: 'silent' });
