import type { Handle } from './database.ts';

interface Turn<Key, Found> {
  readonly keys: Map<string, Key>;
  readonly found: Promise<Map<string, Found>>;
}

/**
 * A read by key whose callers of one turn of the event loop share one statement. Nothing is kept: the statement is sent
 * after everybody it answers has asked, so each of them sees all that was committed before his call.
 * @param keyText the same text for the same key.
 * @param load finds what exists, by `keyText`; callers of one key get the same object and must not change it.
 */
export function gatheredRead<Key, Found>(
  keyText: (key: Key) => string,
  load: (db: Handle, keys: readonly Key[]) => Promise<Map<string, Found>>,
): (db: Handle, key: Key) => Promise<Found | undefined> {
  const turns = new WeakMap<Handle, Turn<Key, Found>>();

  function openTurn(db: Handle): Turn<Key, Found> {
    const keys = new Map<string, Key>();
    const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      turns.delete(db);
      return load(db, [...keys.values()]);
    });
    const turn = { keys, found };
    turns.set(db, turn);
    return turn;
  }

  return async (db, key) => {
    const { keys, found } = turns.get(db) ?? openTurn(db);
    const text = keyText(key);
    keys.set(text, key);
    return (await found).get(text);
  };
}
