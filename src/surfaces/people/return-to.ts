const longestChars = 4000;

/**
 * Where to go after signing in, if it is a path of our own. Browsers read `//host`, `/\host` and a line break in front of a
 * slash as other hosts, so nothing that is written in such ways passes.
 */
export function readReturnTo(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > longestChars) return undefined;
  // Printable ASCII alone: an address that a browser would have written itself has nothing else.
  if (!/^\/(?!\/)[!-~]*$/.test(value) || value.includes('\\')) return undefined;
  const base = 'http://own.invalid';
  return URL.canParse(value, base) && new URL(value, base).origin === base ? value : undefined;
}

/** An address of ours with the parameters that have a value. */
export function pageAddress(path: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((one): one is [string, string] => one[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}
