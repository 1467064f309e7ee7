import type { Gauges } from './gauges.ts';

const lookMillis = 250;

/**
 * Notices a statement that runs too long. The engine can neither be cancelled nor keep a `statement_timeout`: its timer
 * belongs to the thread that the statement blocks.
 */
export class Watchdog {
  readonly #gauges: Gauges;
  readonly #defaultMillis: number;
  readonly #bark: (millis: number) => void;
  readonly #exceptions = new Set<{ millis: number }>();
  readonly #timer: NodeJS.Timeout;
  #suspect: bigint | undefined;

  constructor(gauges: Gauges, deadlineMillis: number, bark: (millis: number) => void) {
    this.#gauges = gauges;
    this.#defaultMillis = deadlineMillis;
    this.#bark = bark;
    this.#timer = setInterval(() => this.#look(), lookMillis);
    this.#timer.unref();
  }

  /** Another deadline while `work` runs, null for none. Of several at once the longest counts, for all statements. */
  async withDeadline<T>(millis: number | null, work: () => Promise<T>): Promise<T> {
    const exception = { millis: millis ?? Number.POSITIVE_INFINITY };
    this.#exceptions.add(exception);
    try {
      return await work();
    } finally {
      this.#exceptions.delete(exception);
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get #deadlineMillis(): number {
    if (this.#exceptions.size === 0) return this.#defaultMillis;
    return Math.max(...[...this.#exceptions].map(({ millis }) => millis));
  }

  #look(): void {
    const since = this.#gauges.busySince;
    const millis = this.#deadlineMillis;
    const overdue = since !== undefined && Number(process.hrtime.bigint() - since) / 1e6 > millis;
    // Twice in a row: after the whole process was frozen for a while, the statement deserves another moment.
    if (overdue && since === this.#suspect) {
      this.#suspect = undefined;
      this.#bark(millis);
    } else {
      this.#suspect = overdue ? since : undefined;
    }
  }
}
