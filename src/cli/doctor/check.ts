/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  /** `skipped`: it could not be looked at because of an earlier trouble. */
  readonly status: 'ok' | 'trouble' | 'skipped';
  /** What was found, in a sentence without secrets. */
  readonly found: string;
  /** With `trouble` what puts it right; with `ok` a piece of advice. */
  readonly advice?: string;
}

export function ok(name: string, found: string, advice?: string): Check {
  return { name, status: 'ok', found, ...(advice === undefined ? {} : { advice }) };
}

export function trouble(name: string, found: string, advice: string): Check {
  return { name, status: 'trouble', found, advice };
}

/** From a failure whose first sentence says what is wrong and whose others say what to do. */
export function troubleOf(name: string, sentences: string): Check {
  const [found, ...advice] = sentences.split(/(?<=\.)\s+(?=[A-Z])/);
  return { name, status: 'trouble', found: found!, ...(advice.length === 0 ? {} : { advice: advice.join(' ') }) };
}

export function skipped(name: string): Check {
  return { name, status: 'skipped', found: 'Not looked at, because of the trouble above.' };
}
