/** Characters. NIST SP 800-63B asks for length and for nothing else: no mixture of kinds, no change every few months. */
export const shortestPassword = 12;
export const longestPassword = 200;

export type PasswordFault = 'short' | 'long' | 'guessable';

/** What is wrong with a password that somebody wants to have; undefined for a good one. */
export function faultOfPassword(password: string, email: string): PasswordFault | undefined {
  const signs = [...password];
  if (signs.length < shortestPassword) return 'short';
  if (signs.length > longestPassword) return 'long';
  const isOwnAddress = password.trim().toLowerCase() === email.toLowerCase();
  // The same few signs again and again, such as aaaaaaaaaaaa or 121212121212.
  return isOwnAddress || new Set(signs).size < 5 ? 'guessable' : undefined;
}
