const deepest = 64;

interface TextFault {
  /** Keys and indexes that lead to it. */
  readonly path: readonly string[];
  /** What is wrong, as the end of a sentence. */
  readonly predicate: string;
}

/**
 * The first text in `value`, keys included, that no database column or answer could carry: a NUL character or half of a
 * surrogate pair. Also nesting beyond 64 levels. Undefined when all is well.
 */
export function findTextFault(value: unknown): TextFault | undefined {
  return findBelow(value, []);
}

/** @param path where `value` stands; it grows and shrinks on the way, and is copied only into what is found. */
function findBelow(value: unknown, path: string[]): TextFault | undefined {
  const faultHere = (predicate: string) => ({ path: [...path], predicate });
  if (typeof value === 'string') return isStorable(value) ? undefined : faultHere('has a NUL or a broken character');
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length > deepest) return faultHere(`is nested more than ${deepest} levels deep`);
  for (const [key, member] of Object.entries(value)) {
    if (!isStorable(key)) return faultHere('has a key with a NUL or a broken character');
    path.push(key);
    const fault = findBelow(member, path);
    if (fault) return fault;
    path.pop();
  }
  return undefined;
}

function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
