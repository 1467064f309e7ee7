/** A percentage as stored, without the zeros of its column: "2.5000" is "2.5", "0.0000" is "0.0". */
export function trimmedPercent(text: string): string {
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.replace(/0+$/, '') || '0'}`;
}

/**
 * Reads a percentage from 0 to 100 with at most four decimals; the form in which it is answered, or undefined for
 * anything else. Signs, exponents and needless zeros in front are refused.
 */
export function readPercent(text: string): string | undefined {
  if (!/^(0|[1-9]\d{0,2})(\.\d{1,4})?$/.test(text) || Number(text) > 100) return undefined;
  return trimmedPercent(text);
}
