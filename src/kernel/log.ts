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

const mostHeldLength = 16_000;
const longestHeldMillis = 100;

/**
 * The lines on their way to standard output. They leave as one text, because the stream below measures all that it holds
 * at each write.
 */
class Lines implements DestinationStream {
  readonly #output;
  #held = '';
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    // Before the others that are told of the end: one of them has the stream below write what it holds.
    process.prependOnceListener('exit', () => this.#handOn());
    // 1 and not 0, with which a flush of it waits for nothing.
    this.#output = pino.destination({ dest: 1, sync: false, minLength: 1 });
  }

  write(line: string): void {
    this.#held += line;
    if (this.#held.length >= mostHeldLength) this.#handOn();
    else this.#timer ??= setTimeout(() => this.#handOn(), longestHeldMillis).unref();
  }

  async flush(): Promise<void> {
    this.#handOn();
    return new Promise((resolve) => this.#output.flush(() => resolve()));
  }

  giveUp(): void {
    this.#output.flushSync = () => {};
  }

  #handOn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#held === '') return;
    this.#output.write(this.#held);
    this.#held = '';
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
