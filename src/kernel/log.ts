import { setTimeout as sleep } from 'node:timers/promises';
import { type DestinationStream, type Logger as PinoLogger, pino, symbols } from 'pino';

export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'child'>;

/** One JSON line per entry on standard output. Secrets have types that print as `[redacted]` (kernel/secrets.ts). */
export function createLog(level: string): Logger {
  return pino({ level, base: null, timestamp: timeMember }, new Lines());
}

/**
 * Writes what the log still holds, for half a second at most. What is left then is given up: the flush that a process
 * ends with tries again for ever where nobody reads (any more), and the process would never be gone.
 */
export async function closeLog(log: Logger): Promise<void> {
  const lines = (log as PinoLogger & { [symbols.streamSym]: Lines })[symbols.streamSym];
  await Promise.race([lines.flush(), sleep(500, undefined, { ref: false })]);
  lines.giveUp();
}

/**
 * The lines on their way to standard output. Those of one turn of the event loop leave as one text, because the stream
 * below measures all that it holds at each write.
 */
class Lines implements DestinationStream {
  readonly #output;
  #ofThisTurn = '';

  constructor() {
    // Before the others that are told of the end: one of them has the stream below write what it holds.
    process.prependOnceListener('exit', () => this.#handOn());
    this.#output = pino.destination({ dest: 1, sync: false, minLength: 16_000, periodicFlush: 100 });
  }

  write(line: string): void {
    if (this.#ofThisTurn === '') setImmediate(() => this.#handOn());
    this.#ofThisTurn += line;
  }

  async flush(): Promise<void> {
    this.#handOn();
    return new Promise((resolve) => this.#output.flush(() => resolve()));
  }

  giveUp(): void {
    this.#output.flushSync = () => {};
  }

  #handOn(): void {
    if (this.#ofThisTurn === '') return;
    this.#output.write(this.#ofThisTurn);
    this.#ofThisTurn = '';
  }
}

let millis = 0;
let member = '';

/** RFC 3339 in UTC. The lines of one millisecond share it. */
function timeMember(): string {
  const now = Date.now();
  if (now !== millis) {
    millis = now;
    member = `,"time":"${new Date(now).toISOString()}"`;
  }
  return member;
}

/** A log that says nothing, for tests and tools. */
export const silentLog: Logger = pino({ level: 'silent' });
