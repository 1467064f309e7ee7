import { createHmac } from 'node:crypto';
import type { Database } from '../db/database.ts';
import type { Logger } from '../kernel/log.ts';
import type { Sealer } from '../kernel/secrets.ts';
import { forgetSharedTries, takeSharedTry } from '../store/tries.ts';
import { createTryCounter } from './try-counter.ts';

/** Tries within the last minutes, by whom or what they are for, at all processes together. */
export interface SharedTries {
  /** Counts one. @returns 0 while it is among the first `most`, else the seconds until the oldest is forgotten. */
  take(subject: string, now: Date): Promise<number>;
  /** Forgets a subject's tries. */
  forget(subject: string): Promise<void>;
}

interface TryParts {
  readonly db: Database;
  readonly log: Logger;
  readonly sealer: Pick<Sealer, 'deriveKey'>;
}

interface TryLimit {
  /** What is tried. */
  readonly name: string;
  readonly most: number;
  readonly windowSeconds: number;
}

/**
 * Counts in the database, where several processes may run: with as many counters as processes a guesser would have as many
 * times the tries. While the database does not answer, each process goes on with its own count, and warns.
 */
export function createSharedTries({ db, log, sealer }: TryParts, { name, most, windowSeconds }: TryLimit): SharedTries {
  const counter = createTryCounter(most, windowSeconds);
  const isAlone = db.engine === 'embedded';
  // With a key of ours: all e-mail and network addresses there are could be tried against a plain hash.
  let key: Buffer | undefined;
  const rowOf = (subject: string) => {
    key ??= sealer.deriveKey('tries');
    return `${name} ${createHmac('sha256', key).update(subject).digest('base64url')}`;
  };
  let warned = false;

  async function shared<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (isAlone) return undefined;
    try {
      const done = await work();
      warned = false;
      return done;
    } catch (error) {
      if (!warned) log.warn({ err: error, tries: name }, 'tries are not counted together with other processes now');
      warned = true;
      return undefined;
    }
  }

  return {
    async take(subject, now) {
      const waitHere = counter.take(subject, now);
      const forgottenBefore = new Date(now.getTime() - windowSeconds * 1000);
      const known = await shared(() => takeSharedTry(db, { subject: rowOf(subject), now, forgottenBefore, most }));
      if (!known) return waitHere;
      if (known.was_taken) return 0;
      return Math.max(1, Math.ceil((known.oldest.getTime() - forgottenBefore.getTime()) / 1000));
    },
    async forget(subject) {
      counter.forget(subject);
      await shared(() => forgetSharedTries(db, rowOf(subject)));
    },
  };
}
