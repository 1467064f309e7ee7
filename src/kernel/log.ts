import { type Logger as PinoLogger, pino } from 'pino';

export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'child'>;

/** One JSON line per entry on standard output. Secrets have types that print as `[redacted]` (kernel/secrets.ts). */
export function createLog(level: string): Logger {
  const destination = pino.destination({ dest: 1, sync: false, minLength: 4096, periodicFlush: 100 });
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** A log that says nothing, for tests and tools. */
export const silentLog: Logger = pino({ level: 'silent' });
