const maxKeys = 50;
const maxKeyLength = 40;
const maxStringLength = 500;
const maxBytes = 16 * 1024;

/** What is wrong with free-form metadata, as the end of a sentence; undefined when nothing is. */
export function metadataFault(metadata: object): string | undefined {
  const entries = Object.entries(metadata);
  if (entries.length > maxKeys) return `must have at most ${maxKeys} keys`;
  for (const [key, value] of entries) {
    if (key.length > maxKeyLength) return `must have keys of at most ${maxKeyLength} characters`;
    if (typeof value === 'string' && value.length > maxStringLength) {
      return `must have strings of at most ${maxStringLength} characters (${key} is longer)`;
    }
  }
  if (Buffer.byteLength(JSON.stringify(metadata)) > maxBytes) return 'must be at most 16 kB of JSON';
  return undefined;
}
