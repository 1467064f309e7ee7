import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTimestamp } from '../../src/kernel/timestamp.ts';

describe('times', () => {
  test.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01t10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00+02:00', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T10:00:00+0200', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T10:00:00 02:00', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T10:00:00-04:30', '2026-03-01T14:30:00.000Z'],
    ['2026-03-01T00:30:00+14:00', '2026-02-28T10:30:00.000Z'],
    ['2026-03-01T10:00:00.1Z', '2026-03-01T10:00:00.100Z'],
    ['2026-03-01T10:00:00.123Z', '2026-03-01T10:00:00.123Z'],
    ['2026-03-01T10:00:00.123999999Z', '2026-03-01T10:00:00.123Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, iso) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(iso);
  });

  test.each([
    '',
    'yesterday',
    'now',
    '1772359200',
    '1772359200000',
    '2026-02-30T00:00:00Z',
    '2026-02-29',
    '2026-04-31',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-1-1',
    '26-01-01',
    '+002026-01-01',
    '2026-03-01T24:00:00Z',
    '2026-03-01T10:60:00Z',
    '2026-03-01T10:00:60Z',
    '2026-03-01T10:00:00',
    '2026-03-01 10:00:00Z',
    '2026-03-01T10:00:00+15:00',
    '2026-03-01T10:00:00+02',
    '2026-03-01T10:00:00.Z',
    '2026-03-01T10:00:00.1234567891Z',
    '2026-03-01T10:00:00ZZ',
    ' 2026-03-01',
    '2026-03-01\n',
    '２０２６-03-01',
    'Sun, 01 Mar 2026 10:00:00 GMT',
  ])('%j is none', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });
});

describe('properties', () => {
  const moment = fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9999-12-30T00:00:00Z'),
    noInvalidDate: true,
  });

  test('whatever is printed is read as the same moment', () => {
    fc.assert(
      fc.property(moment, (date) => {
        expect(parseTimestamp(date.toISOString())).toEqual(date);
      }),
    );
  });

  test('an offset changes how a moment is written, never which it is', () => {
    const offset = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(moment, offset, fc.constantFrom('+', ' '), (date, minutes, plus) => {
        const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const size = Math.abs(minutes);
        const hours = String(Math.floor(size / 60)).padStart(2, '0');
        const rest = String(size % 60).padStart(2, '0');
        const written = `${local}${minutes < 0 ? '-' : plus}${hours}:${rest}`;
        expect(parseTimestamp(written), written).toEqual(date);
      }),
    );
  });

  test('a day of no calendar is never read', () => {
    const part = (most: number) => fc.integer({ min: 0, max: most });
    fc.assert(
      fc.property(part(9999), part(99), part(99), (year, month, day) => {
        const text = [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join(
          '-',
        );
        const read = parseTimestamp(text);
        if (read) expect(read.toISOString().slice(0, 10)).toBe(text);
        const days = new Date(0);
        days.setUTCFullYear(year, month, 0);
        const real = month >= 1 && month <= 12 && day >= 1 && day <= days.getUTCDate();
        expect(read !== undefined).toBe(real);
      }),
      { numRuns: 500 },
    );
  });

  test('no text throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const read = parseTimestamp(text);
        expect(read === undefined || !Number.isNaN(read.getTime())).toBe(true);
      }),
    );
  });
});
