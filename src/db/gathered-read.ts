import type { Handle } from './database.ts';

interface Gathering<Key, Found> {
  readonly keys: Map<string, Key>;
  readonly found: Promise<Map<string, Found>>;
}

/**
 * A read by key whose callers share statements: those of one turn of the event loop, and all who come while the statement
 * before is under way. So a busy process sends few statements for many readers, and loses nothing: short reads have one
 * connection, where the next would wait for its turn anyway. Nothing is kept: a statement is sent after everybody it
 * answers has asked, so each of them sees all that was committed before his call.
 * @param keyText the same text for the same key.
 * @param load finds what exists, by `keyText`; callers of one key get the same object and must not change it.
 */
export function gatheredRead<Key, Found>(
  keyText: (key: Key) => string,
  load: (db: Handle, keys: readonly Key[]) => Promise<Map<string, Found>>,
): (db: Handle, key: Key) => Promise<Found | undefined> {
  const gatherings = new WeakMap<Handle, Gathering<Key, Found>>();
  const underWay = new WeakMap<Handle, Promise<unknown>>();

  function gather(db: Handle): Gathering<Key, Found> {
    const keys = new Map<string, Key>();
    const gathering = { keys, found: loadTogether(db, keys) };
    gatherings.set(db, gathering);
    return gathering;
  }

  async function loadTogether(db: Handle, keys: ReadonlyMap<string, Key>): Promise<Map<string, Found>> {
    await new Promise((resolve) => setImmediate(resolve));
    await underWay.get(db);
    gatherings.delete(db);
    const loading = load(db, [...keys.values()]);
    underWay.set(
      db,
      loading.catch(() => {}),
    );
    return loading;
  }

  return async (db, key) => {
    const { keys, found } = gatherings.get(db) ?? gather(db);
    const text = keyText(key);
    keys.set(text, key);
    return (await found).get(text);
  };
}
