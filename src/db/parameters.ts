import pg from 'pg';

const types = pg.types;
const int8 = 20;
const timestamptz = 1184;

/**
 * How values come back, alike on both engines: bigint as a number that is checked to be exact, timestamps as Date,
 * numeric as text, json parsed.
 */
export const typeParsers = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format === 'binary') return types.getTypeParser(oid, 'binary');
    if (oid === int8) return exactNumber;
    if (oid === timestamptz) return moment;
    return types.getTypeParser(oid, 'text');
  }) as (oid: number, format?: 'text' | 'binary') => (text: string) => unknown,
};

function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database holds ${text}, which is beyond 2^53-1`);
  return value;
}

const parseMoment = types.getTypeParser(timestamptz, 'text') as (text: string) => Date;

// "2027-03-01 10:00:00.123+00": sessions run in UTC. Years beyond 9999 and BC go the long way. Digit by digit, because no
// other value is read as often, and making a text that `Date` reads costs twice as much.
function moment(text: string): Date {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  if (text[10] !== ' ' || !text.endsWith('+00') || year < 100) return parseMoment(text);
  let millis = 0;
  // Up to six digits of a second, of which a Date has three.
  for (let at = 20, worth = 100; at < text.length - 3 && worth >= 1; at++, worth /= 10)
    millis += digit(text, at) * worth;
  return new Date(
    Date.UTC(
      year,
      twoDigits(text, 5) - 1,
      twoDigits(text, 8),
      twoDigits(text, 11),
      twoDigits(text, 14),
      twoDigits(text, 17),
      millis,
    ),
  );
}

const digit = (text: string, at: number): number => text.charCodeAt(at) - 48;
const twoDigits = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

export type Parameter = string | Buffer | null;

/** How values go out: text, or bytes as they are. Moments in UTC, lists as arrays, other objects as JSON. */
export function toParameter(value: unknown): Parameter {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return String(value);
  if (value instanceof Date) return momentText(value);
  if (Array.isArray(value)) return `{${value.map(elementText).join(',')}}`;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return JSON.stringify(value);
}

function elementText(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const parameter = toParameter(value);
  if (parameter === null) return 'NULL';
  const text = String(parameter);
  // Nearly all are ids. To see that there is nothing to escape is several times quicker than to replace nothing.
  return /[\\"]/.test(text) ? `"${text.replace(/[\\"]/g, '\\$&')}"` : `"${text}"`;
}

/** @throws {RangeError} for a date that is none. */
function momentText(moment: Date): string {
  const text = moment.toISOString();
  const year = moment.getUTCFullYear();
  if (year >= 1 && year <= 9999) return text;
  // ISO 8601 writes such years with a sign, PostgreSQL without one and with BC.
  const rest = text.slice(text.indexOf('-', 1));
  return year > 9999 ? `${year}${rest}` : `${String(1 - year).padStart(4, '0')}${rest} BC`;
}
