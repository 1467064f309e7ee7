import type { Handle } from './database.ts';

/** What was found for the key at a place, from 1, among those that were asked for (`with ordinality`). */
export interface Placed<Found> {
  readonly place: number;
  readonly found: Found;
}

interface Gathering<Key, Found> {
  readonly keys: Key[];
  /** Of each key's text. */
  readonly places: Map<string, number>;
  readonly byPlace: Promise<ReadonlyMap<number, Found>>;
}

/**
 * A read by key whose callers share statements: those of one turn of the event loop, and all who come while the statements
 * before are under way. So a busy process sends few statements for many readers, and loses nothing: short reads have one
 * connection, where the next would wait for its turn anyway. Nothing is kept: a statement is sent after everybody it
 * answers has asked, so each of them sees all that was committed before his call.
 * @param keyText the same text for the same key.
 * @param load finds what exists; callers of one key get the same object and must not change it.
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
    const gathering = { keys, places: new Map<string, number>(), byPlace };
    gatherings.set(db, gathering);
    return gathering;
  }

  return async (db, key) => {
    const { keys, places, byPlace } = gatherings.get(db) ?? gather(db);
    const text = keyText(key);
    let place = places.get(text);
    if (place === undefined) {
      place = keys.push(key);
      places.set(text, place);
    }
    return (await byPlace).get(place);
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
