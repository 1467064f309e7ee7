import { hash } from 'node:crypto';
import { randomLegible } from '../kernel/ids.ts';

const groups = 4;
const groupChars = 4;
const length = groups * groupChars;

/** A code such as `k7mw-p2xa-hq4t-9zrd`: about 79 random bits. */
export function newRecoveryCode(): string {
  return randomLegible(length)
    .match(new RegExp(`.{${groupChars}}`, 'g'))!
    .join('-');
}

/** What is kept of a code. Blanks, dashes and upper case are typing, not the code; undefined for what can be none. */
export function hashRecoveryCode(typed: string): Buffer | undefined {
  const code = typed.toLowerCase().replace(/[\s-]/g, '');
  return code.length === length ? hash('sha256', code, 'buffer') : undefined;
}
