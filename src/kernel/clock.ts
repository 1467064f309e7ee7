/**
 * Business time. Leases, claims and breakers use the database's clock instead, so that a process with a wrong clock
 * steals nothing.
 */
export interface Clock {
  /** The present, cut to whole milliseconds like every stored timestamp. */
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** A clock that tests move by hand. */
export class ManualClock implements Clock {
  #millis: number;

  constructor(start: Date = new Date()) {
    this.#millis = start.getTime();
  }

  now(): Date {
    return new Date(this.#millis);
  }

  advanceSeconds(seconds: number): void {
    this.#millis += seconds * 1000;
  }

  set(moment: Date): void {
    this.#millis = moment.getTime();
  }
}

export function addSeconds(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000);
}

export function earlier(a: Date, b: Date): Date {
  return a.getTime() <= b.getTime() ? a : b;
}

export function later(a: Date, b: Date): Date {
  return a.getTime() >= b.getTime() ? a : b;
}
