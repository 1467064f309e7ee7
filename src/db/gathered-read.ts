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
 * @param oneAtATime whether a statement also waits for the one before it, so that those who come meanwhile share the
 * next: for reads that very many ask for, of which few are different.
 */
export function gatheredRead<Key, Found>(
  keyText: (key: Key) => string,
  load: (db: Handle, keys: readonly Key[]) => Promise<Map<string, Found>>,
  { oneAtATime = false } = {},
): (db: Handle, key: Key) => Promise<Found | undefined> {
  const turns = new WeakMap<Handle, Turn<Key, Found>>();
  const underWay = new WeakMap<Handle, Promise<unknown>>();

  function openTurn(db: Handle): Turn<Key, Found> {
    const keys = new Map<string, Key>();
    const nextTurn = new Promise<void>((resolve) => setImmediate(resolve));
    const found = nextTurn
      .then(() => (oneAtATime ? underWay.get(db) : undefined))
      .then(() => {
        turns.delete(db);
        const loading = load(db, [...keys.values()]);
        if (oneAtATime) {
          underWay.set(
            db,
            loading.catch(() => {}),
          );
        }
        return loading;
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
