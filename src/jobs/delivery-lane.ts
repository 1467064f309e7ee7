import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import type { Logger } from '../kernel/log.ts';
import { type AttemptOutcome, finishAttempts } from '../store/delivery-queue.ts';

/** What one endpoint may have under way in this process: it starts in the middle and finds its own width. */
const narrowest = 2;
const startWidth = 4;
const widest = 10;

const rewriteMillis = 500;

/**
 * One endpoint's deliveries in this process. A lane that fails grows narrow, so a hanging endpoint holds two sockets and
 * nobody else's place. Outcomes are written together with those that ended while the last writing was under way.
 */
export class Lane {
  readonly id: string;
  /** More may be waiting than the last claim had room for. */
  hungry = false;
  #running = 0;
  #width = startWidth;
  #ended: AttemptOutcome[] = [];
  #writing: Promise<void> | undefined;
  readonly #db: Database;
  readonly #log: Logger;

  constructor(id: string, db: Database, log: Logger) {
    this.id = id;
    this.#db = db;
    this.#log = log;
  }

  get room(): number {
    return Math.max(0, this.#width - this.#running);
  }

  get running(): number {
    return this.#running;
  }

  /** Its attempts fail more than they succeed. */
  get isFailing(): boolean {
    return this.#width === narrowest;
  }

  get isIdle(): boolean {
    return this.#running === 0 && !this.hungry;
  }

  begin(): void {
    this.#running += 1;
  }

  /** Resolves once the outcome is written, however long the database is away; `signal` ends the patience. */
  async end(outcome: AttemptOutcome, signal: AbortSignal): Promise<void> {
    this.#width = outcome.good ? Math.min(widest, this.#width + 1) : Math.max(narrowest, this.#width >> 1);
    this.#ended.push(outcome);
    while (this.#ended.includes(outcome)) {
      this.#writing ??= this.#write(signal);
      await this.#writing;
    }
  }

  /** The place of an attempt is free again. */
  leave(): void {
    this.#running -= 1;
  }

  async #write(signal: AbortSignal): Promise<void> {
    const batch = this.#ended;
    this.#ended = [];
    try {
      await finishAttempts(this.#db, this.id, batch);
    } catch (error) {
      this.#log.warn({ err: error, webhook: this.id }, 'the outcome of deliveries is not written yet');
      // A late outcome still counts unless somebody has taken the delivery over meanwhile; then it changes nothing.
      if (!signal.aborted) this.#ended.unshift(...batch);
      await sleep(rewriteMillis, undefined, { signal }).catch(() => {});
    } finally {
      this.#writing = undefined;
    }
  }
}
