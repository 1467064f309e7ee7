import { hash } from 'node:crypto';

/**
 * What is kept of a key, a session's token or a link's. A plain hash is enough: each has at least 238 random bits, so
 * there is nothing to guess.
 */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
