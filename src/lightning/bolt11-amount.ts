import { Bolt11Error } from './bolt11-format.ts';

/** 21 million BTC in millisatoshi: nothing larger can exist. */
export const allBitcoinMsat = 2_100_000_000_000_000_000n;

/** Largest unit first, so that the first one that divides evenly gives the shortest text (BOLT 11). */
const units = [
  ['', 100_000_000_000n],
  ['m', 100_000_000n],
  ['u', 100_000n],
  ['n', 100n],
] as const;

/** Reads the amount part of the human-readable part, such as `2500u`; empty means that the payer chooses. In msat. */
export function parseBolt11Amount(text: string): bigint | null {
  if (text === '') return null;
  // The length is bounded before BigInt sees the text; 21 million BTC in pico-BTC has 20 digits.
  const match = /^([1-9][0-9]{0,19})([munp]?)$/.exec(text);
  if (!match) throw new Bolt11Error('The amount is not a whole number with an optional multiplier m, u, n or p.');
  const amountMsat = toMsat(BigInt(match[1]!), match[2]!);
  if (amountMsat > allBitcoinMsat) throw new Bolt11Error('The amount is more than all bitcoin there will ever be.');
  return amountMsat;
}

function toMsat(value: bigint, multiplier: string): bigint {
  if (multiplier === 'p') {
    if (value % 10n !== 0n) throw new Bolt11Error('The amount is finer than one millisatoshi.');
    return value / 10n;
  }
  return value * units.find(([letter]) => letter === multiplier)![1];
}

/** Writes an amount in the largest unit that fits; null gives an invoice without an amount. */
export function formatBolt11Amount(amountMsat: bigint | null): string {
  if (amountMsat === null) return '';
  if (amountMsat <= 0n || amountMsat > allBitcoinMsat) throw new Bolt11Error('The amount is out of range.');
  const unit = units.find(([, msat]) => amountMsat % msat === 0n);
  return unit ? `${amountMsat / unit[1]}${unit[0]}` : `${amountMsat * 10n}p`;
}
