import { createHash } from 'node:crypto';

let visits = 0;

/** An address that nobody called from yet. */
export const newVisitorAddress = (): string => visitorAddress(`visit ${visits++}`);

/**
 * An address for whoever looks at something: another one for each text. Strangers are let in at a pace, by address, and a
 * test that is about something else should not have to wait.
 */
export function visitorAddress(text: string): string {
  const digits = createHash('sha256').update(text).digest('hex');
  return `2001:db8:${digits.slice(0, 4)}:${digits.slice(4, 8)}::1`;
}
