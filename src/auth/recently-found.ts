const mostRemembered = 10_000;

/** Asks who is behind a credential, and trusts what was found for a moment without asking again. */
interface RecentlyFound<Found> {
  /** At once where it is remembered: a busy credential calls thousands of times a second. */
  find(credential: string): Found | Promise<Found>;
  forget(): void;
}

/**
 * @param ask fails for a credential that is none: strangers' guesses must not fill the memory.
 * @param trustMillis counted from before the question was sent.
 */
export function rememberFound<Found extends object>(
  ask: (credential: string) => Promise<Found>,
  trustMillis: number,
): RecentlyFound<Found> {
  const remembered = new Map<string, { found: Found | Promise<Found>; at: number }>();

  function find(credential: string): Found | Promise<Found> {
    const at = performance.now();
    const known = remembered.get(credential);
    if (known && at - known.at < trustMillis) return known.found;
    if (remembered.size >= mostRemembered) remembered.clear();
    const asked = ask(credential);
    const memory: { found: Found | Promise<Found>; at: number } = { found: asked, at };
    remembered.set(credential, memory);
    asked.then(
      (found) => {
        memory.found = found;
      },
      () => remembered.get(credential) === memory && remembered.delete(credential),
    );
    return asked;
  }

  return { find, forget: () => remembered.clear() };
}
