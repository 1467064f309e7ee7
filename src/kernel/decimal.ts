declare const brand: unique symbol;

/** An exact decimal of zero or more: the number times 10^12. Compare and add as bigints; multiply with care. */
export type Decimal = bigint & { readonly [brand]: 'Decimal' };

const fractionDigits = 12;

/** What a `Decimal` of 1 holds. */
export const decimalOne = (10n ** 12n) as Decimal;

// Length and exponent are bounded because the text may come from outside: 1e999999999 must not fill the memory.
const maxLength = 64;
const shape = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,2}))?$/i;

/**
 * Reads digits with an optional fraction and an optional exponent (`65000.5`, `6.50005e4`). Signs, hex, separators,
 * blanks, words such as NaN and the empty string are undefined. Digits past the twelfth decimal are cut, so a number
 * too small to hold reads as zero.
 */
export function parseDecimal(text: string): Decimal | undefined {
  const match = text.length <= maxLength ? shape.exec(text) : null;
  if (!match) return undefined;
  const fraction = match[2] ?? '';
  const digits = BigInt(match[1]! + fraction);
  const shift = Number(match[3] ?? 0) - fraction.length + fractionDigits;
  return (shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift)) as Decimal;
}

/** Reads a decimal that is known to be one, such as a stored price; throws RangeError otherwise. */
export function decimal(text: string): Decimal {
  const value = parseDecimal(text);
  if (value === undefined) throw new RangeError(`${JSON.stringify(text)} is not a plain decimal number`);
  return value;
}

/** Plain digits, never an exponent; no trailing zeros beyond `minimumDigits` decimals. */
export function formatDecimal(value: Decimal, minimumDigits = 0): string {
  const digits = value.toString().padStart(fractionDigits + 1, '0');
  const whole = digits.slice(0, -fractionDigits);
  const fraction = digits.slice(-fractionDigits).replace(/0+$/, '').padEnd(minimumDigits, '0');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Rounds half up to `digits` decimals (0 to 12). */
export function roundDecimalHalfUp(value: Decimal, digits: number): Decimal {
  const step = 10n ** BigInt(fractionDigits - digits);
  return (divideRoundedHalfUp(value, step) * step) as Decimal;
}

/** `value` times `numerator` over `denominator`, rounded half up at the twelfth decimal. */
export function scaleDecimal(value: Decimal, numerator: Decimal, denominator: Decimal): Decimal {
  return divideRoundedHalfUp(value * numerator, denominator) as Decimal;
}

/** Integer division towards the larger number; both at least 0, `divisor` above. */
export function divideRoundedUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** Integer division to the nearest number, halves upwards; both at least 0, `divisor` above. */
export function divideRoundedHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
