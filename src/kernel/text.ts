const deepest = 64;

/**
 * The first text in `value`, keys included, that no database column or answer could carry: a NUL character or half of a
 * surrogate pair. Also refuses nesting beyond 64 levels. @returns a sentence, or undefined when all is well.
 */
export function findTextFault(value: unknown, path = '', depth = 0): string | undefined {
  if (typeof value === 'string')
    return isStorable(value) ? undefined : `${path || 'the body'} has a NUL or a broken character`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > deepest) return `${path} is nested more than ${deepest} levels deep`;
  for (const [key, member] of Object.entries(value)) {
    if (!isStorable(key)) return `${path || 'the body'} has a key with a NUL or a broken character`;
    const fault = findTextFault(
      member,
      Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${key}` : key,
      depth + 1,
    );
    if (fault) return fault;
  }
  return undefined;
}

function isStorable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
