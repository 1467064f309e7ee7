const maxKeys = 50;
const maxKeyLength = 40;
const maxStringLength = 500;
/** Only where there is more than strings, whose number and length are limits enough. */
const maxBytes = 16 * 1024;

/** What is wrong with free-form metadata, as the end of a sentence; undefined when nothing is. */
export function metadataFault(metadata: object): string | undefined {
  const entries = Object.entries(metadata);
  if (entries.length > maxKeys) return `must have at most ${maxKeys} keys`;
  for (const [key, value] of entries) {
    if (isLonger(key, maxKeyLength)) return `must have keys of at most ${maxKeyLength} characters`;
    if (typeof value === 'string' && isLonger(value, maxStringLength)) {
      return `must have strings of at most ${maxStringLength} characters (${key} is longer)`;
    }
  }
  const holdsOnlyText = entries.every(([, value]) => typeof value === 'string');
  if (holdsOnlyText || Buffer.byteLength(JSON.stringify(metadata)) <= maxBytes) return undefined;
  return 'must be at most 16 kB of JSON, unless all its values are strings';
}

// Characters are code points, as in every other limit: one emoji is one.
function isLonger(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  return text.length > 2 * limit || [...text].length > limit;
}
