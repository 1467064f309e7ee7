const mostRemembered = 10_000;

/** Asks for the row behind a credential, and trusts what was found for a moment without asking again. */
interface RecentlyFound<Row> {
  find(credential: string): Promise<Row | undefined>;
  forget(): void;
}

/** @param trustMillis counted from before the question was sent. */
export function rememberFound<Row>(
  ask: (credential: string) => Promise<Row | undefined>,
  trustMillis: number,
): RecentlyFound<Row> {
  const found = new Map<string, { row: Promise<Row | undefined>; at: number }>();

  function find(credential: string): Promise<Row | undefined> {
    const at = performance.now();
    const known = found.get(credential);
    if (known && at - known.at < trustMillis) return known.row;
    if (found.size >= mostRemembered) found.clear();
    const row = ask(credential);
    found.set(credential, { row, at });
    row.then(
      // Only credentials that exist are remembered: strangers' guesses must not fill the memory.
      (value) => value === undefined && found.delete(credential),
      () => found.delete(credential),
    );
    return row;
  }

  return { find, forget: () => found.clear() };
}
