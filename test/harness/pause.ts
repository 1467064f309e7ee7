import { vi } from 'vitest';
import type { Database, Handle, Statement } from '../../src/db/database.ts';

/** A place where something stops until it is let go. */
export class Gate {
  /** How many have come. */
  count = 0;
  readonly reached: Promise<void>;
  readonly #open: Promise<void>;
  #arrive!: () => void;
  goOn!: () => void;

  constructor() {
    this.reached = new Promise((resolve) => {
      this.#arrive = resolve;
    });
    this.#open = new Promise((resolve) => {
      this.goOn = resolve;
    });
  }

  async pass(): Promise<void> {
    this.count += 1;
    this.#arrive();
    await this.#open;
  }
}

/** The database, but whoever comes to this statement stops before it at the gate. */
export function pauseBefore(db: Database, statementName: string, gate: Gate): Database {
  const paused = <H extends Handle>(handle: H): H =>
    new Proxy(handle, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name !== 'many' && name !== 'maybeOne' && name !== 'run') {
          return typeof value === 'function' ? value.bind(target) : value;
        }
        return async (statement: Statement, values?: readonly unknown[]) => {
          if (statement.name === statementName) await gate.pass();
          return target[name](statement, values);
        };
      },
    });
  const outside = paused(db);
  return new Proxy(outside, {
    get: (target, name) =>
      name === 'transaction'
        ? (work: Parameters<Database['transaction']>[0]) => db.transaction((tx) => work(paused(tx)))
        : Reflect.get(target, name),
  });
}

/** Reads of one row by this statement stop at the gate, until `mockRestore()` of what is returned. */
export function holdReads(db: Database, statementName: string, gate: Gate): { mockRestore(): void } {
  const read = db.maybeOne.bind(db);
  return vi.spyOn(db, 'maybeOne').mockImplementation(async (statement, values) => {
    if (statement.name === statementName) await gate.pass();
    return read(statement, values) as never;
  });
}
