/** A percentage as stored, without the zeros of its column: "2.5000" is "2.5", "0.0000" is "0.0". */
export function trimmedPercent(text: string): string {
  const [whole, fraction = ''] = text.split('.');
  return `${whole}.${fraction.replace(/0+$/, '') || '0'}`;
}
