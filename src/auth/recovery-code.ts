import { hash, randomBytes } from 'node:crypto';

// Letters and digits that nobody mixes up.
const signs = 'abcdefghjkmnpqrstuvwxyz23456789';
const groups = 4;
const groupChars = 4;
const length = groups * groupChars;

/** A code such as `k7mw-p2xa-hq4t-9zrd`: about 79 random bits. */
export function newRecoveryCode(): string {
  let code = '';
  while (code.length < length) {
    const sign = signs[randomBytes(1)[0]! & 31];
    if (sign) code += sign;
  }
  return code.match(new RegExp(`.{${groupChars}}`, 'g'))!.join('-');
}

/** What is kept of a code. Blanks, dashes and upper case are typing, not the code; undefined for what can be none. */
export function hashRecoveryCode(typed: string): Buffer | undefined {
  const code = typed.toLowerCase().replace(/[\s-]/g, '');
  return code.length === length ? hash('sha256', code, 'buffer') : undefined;
}
