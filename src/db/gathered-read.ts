import type { Handle } from './database.ts';

/** What was found for the key at a place, from 1, among those that were asked for (`with ordinality`). */
export interface Placed<Found> {
  readonly place: number;
  readonly found: Found;
}

interface Gathering<Key, Found> {
  readonly keys: Key[];
  readonly byPlace: Promise<ReadonlyMap<number, Found>>;
  /** By the key's text. */
  readonly found: Map<string, Promise<Found | undefined>>;
}

/**
 * A read by key whose callers share statements: those of one turn of the event loop, and all who come while the statements
 * before are under way. So a busy process sends few statements for many readers, and loses nothing: short reads have one
 * connection, where the next would wait for its turn anyway. Nothing is kept: a statement is sent after everybody it
 * answers has asked, so each of them sees all that was committed before his call.
 * @param keyText the same text for the same key.
 * @param load finds what exists.
 * @returns those who ask for one key together get the same promise, of one object that they must not change.
 */
export function gatheredRead<Key, Found>(
  keyText: (key: Key) => string,
  load: (db: Handle, keys: readonly Key[]) => Promise<readonly Placed<Found>[]>,
): (db: Handle, key: Key) => Promise<Found | undefined> {
  const gatherings = new WeakMap<Handle, Gathering<Key, Found>>();

  function gather(db: Handle): Gathering<Key, Found> {
    const keys: Key[] = [];
    const byPlace = leaveTogether(db, async () => {
      gatherings.delete(db);
      return new Map((await load(db, keys)).map(({ place, found }) => [place, found]));
    });
    const gathering = { keys, byPlace, found: new Map<string, Promise<Found | undefined>>() };
    gatherings.set(db, gathering);
    return gathering;
  }

  return (db, key) => {
    const { keys, byPlace, found } = gatherings.get(db) ?? gather(db);
    const text = keyText(key);
    const known = found.get(text);
    if (known) return known;
    const place = keys.push(key);
    const one = byPlace.then((rows) => rows.get(place));
    found.set(text, one);
    return one;
  };
}

type Send = () => Promise<void>;
const waiting = new WeakMap<Handle, Send[]>();
const underWay = new WeakMap<Handle, Promise<unknown>>();

/**
 * Sends reads of all kinds at once: one packet to the database and one back, where statements that leave one by one wake
 * both processes each time.
 */
function leaveTogether<Found>(db: Handle, send: () => Promise<Found>): Promise<Found> {
  return new Promise((resolve, reject) => {
    const sends = waiting.get(db) ?? leaveSoon(db);
    sends.push(() => send().then(resolve, reject));
  });
}

function leaveSoon(db: Handle): Send[] {
  const sends: Send[] = [];
  waiting.set(db, sends);
  setImmediate(async () => {
    await underWay.get(db);
    waiting.delete(db);
    underWay.set(db, Promise.all(sends.map((send) => send())));
  });
  return sends;
}
