/** 5-bit words (the digits of bech32) to bytes and numbers and back, most significant first. */

/** Packs words into bytes. The last byte is filled with zero bits, or cut off when `trim` is set. */
export function wordsToBytes(words: ArrayLike<number>, trim: boolean): Buffer {
  const size = (words.length * 5) / 8;
  const bytes = Buffer.alloc(trim ? Math.floor(size) : Math.ceil(size));
  let accumulator = 0;
  let bits = 0;
  let position = 0;
  for (let index = 0; index < words.length; index++) {
    accumulator = ((accumulator << 5) | words[index]!) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[position++] = (accumulator >> bits) & 0xff;
    }
  }
  if (!trim && bits > 0) bytes[position] = (accumulator << (8 - bits)) & 0xff;
  return bytes;
}

/** Unpacks bytes into words; the last word is filled with zero bits. */
export function bytesToWords(bytes: Uint8Array): number[] {
  const words: number[] = [];
  let accumulator = 0;
  let bits = 0;
  for (const byte of bytes) {
    accumulator = ((accumulator << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      words.push((accumulator >> bits) & 31);
    }
  }
  if (bits > 0) words.push((accumulator << (5 - bits)) & 31);
  return words;
}

/** Reads words as one number. The result is Infinity when it is too large to be exact. */
export function wordsToNumber(words: ArrayLike<number>): number {
  let value = 0;
  for (let index = 0; index < words.length; index++) {
    value = value * 32 + words[index]!;
    if (value > Number.MAX_SAFE_INTEGER) return Number.POSITIVE_INFINITY;
  }
  return value;
}

/** Writes a number as words: `length` of them, or as few as it takes, which for zero is none. */
export function numberToWords(value: number, length?: number): number[] {
  const words: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 32)) words.unshift(rest % 32);
  while (words.length < (length ?? 0)) words.unshift(0);
  return words;
}
