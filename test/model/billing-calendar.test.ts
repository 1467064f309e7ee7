import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addDays,
  type BillingCalendar,
  dayOf,
  intervalUnits,
  isDay,
  periodNumberAt,
  periodStart,
  startOfDay,
} from '../../src/model/billing-calendar.ts';

const utc = (text: string) => new Date(`${text}Z`);
const calendar = (anchor: string, more: Partial<BillingCalendar> = {}): BillingCalendar => ({
  anchor: new Date(anchor),
  timeZone: 'UTC',
  unit: 'month',
  count: 1,
  ...more,
});
const starts = (dates: BillingCalendar, count: number) =>
  Array.from({ length: count }, (_, number) => periodStart(dates, number));
const days = (dates: BillingCalendar, count: number) =>
  starts(dates, count).map((moment) => dayOf(moment, dates.timeZone));

describe('anchors keep their day', () => {
  test('31 January goes to the ends of short months and comes back (case C103)', () => {
    expect(days(calendar('2027-01-31T00:00:00Z'), 13)).toEqual([
      '2027-01-31',
      '2027-02-28',
      '2027-03-31',
      '2027-04-30',
      '2027-05-31',
      '2027-06-30',
      '2027-07-31',
      '2027-08-31',
      '2027-09-30',
      '2027-10-31',
      '2027-11-30',
      '2027-12-31',
      '2028-01-31',
    ]);
  });

  test('30 and 29 January, in a leap year and before one', () => {
    expect(days(calendar('2027-12-30T00:00:00Z'), 4)).toEqual(['2027-12-30', '2028-01-30', '2028-02-29', '2028-03-30']);
    expect(days(calendar('2027-01-29T00:00:00Z'), 3)).toEqual(['2027-01-29', '2027-02-28', '2027-03-29']);
  });

  test('29 February comes back every fourth year', () => {
    expect(days(calendar('2028-02-29T12:00:00Z', { unit: 'year' }), 5)).toEqual([
      '2028-02-29',
      '2029-02-28',
      '2030-02-28',
      '2031-02-28',
      '2032-02-29',
    ]);
    // 2100 is no leap year.
    expect(dayOf(periodStart(calendar('2028-02-29T12:00:00Z', { unit: 'year' }), 72), 'UTC')).toBe('2100-02-28');
  });

  test('quarters, half years and fortnights', () => {
    expect(days(calendar('2027-11-30T00:00:00Z', { count: 3 }), 3)).toEqual(['2027-11-30', '2028-02-29', '2028-05-30']);
    expect(days(calendar('2027-08-31T00:00:00Z', { count: 6 }), 3)).toEqual(['2027-08-31', '2028-02-29', '2028-08-31']);
    expect(days(calendar('2027-12-27T00:00:00Z', { unit: 'week', count: 2 }), 3)).toEqual([
      '2027-12-27',
      '2028-01-10',
      '2028-01-24',
    ]);
  });
});

describe('the hour is the one on the wall', () => {
  const berlin = (anchor: string) => calendar(anchor, { timeZone: 'Europe/Berlin' });

  test('across both changes of daylight saving time', () => {
    expect(starts(berlin('2027-02-15T08:00:00Z'), 3)).toEqual([
      utc('2027-02-15T08:00:00'),
      utc('2027-03-15T08:00:00'),
      utc('2027-04-15T07:00:00'),
    ]);
    expect(starts(berlin('2027-10-15T07:00:00Z'), 2)).toEqual([utc('2027-10-15T07:00:00'), utc('2027-11-15T08:00:00')]);
  });

  test('an hour that is left out is made up for that day only', () => {
    // 02:30 does not exist on 28 March 2027: 03:30 it is, and 02:30 again a month later.
    expect(starts(berlin('2027-01-28T01:30:00Z'), 4)).toEqual([
      utc('2027-01-28T01:30:00'),
      utc('2027-02-28T01:30:00'),
      utc('2027-03-28T01:30:00'),
      utc('2027-04-28T00:30:00'),
    ]);
  });

  test('an hour that comes twice counts from its first', () => {
    expect(periodStart(berlin('2027-09-30T22:30:00Z'), 0)).toEqual(utc('2027-09-30T22:30:00'));
    // 02:30 on 31 October 2027 is 00:30 and 01:30 UTC.
    expect(periodStart(berlin('2027-08-31T00:30:00Z'), 2)).toEqual(utc('2027-10-31T00:30:00'));
    // An anchor in the second one is where it is.
    expect(periodStart(berlin('2027-10-31T01:30:00Z'), 0)).toEqual(utc('2027-10-31T01:30:00'));
  });

  test('days begin when they begin there', () => {
    expect(startOfDay('2027-03-28', 'Europe/Berlin')).toEqual(utc('2027-03-27T23:00:00'));
    expect(startOfDay('2027-07-01', 'America/New_York')).toEqual(utc('2027-07-01T04:00:00'));
    // Midnight was left out in Beirut on 26 March 2023 and in São Paulo on 4 November 2018.
    expect(startOfDay('2018-11-04', 'America/Sao_Paulo')).toEqual(utc('2018-11-04T03:00:00'));
    expect(dayOf(utc('2027-01-31T23:30:00'), 'Asia/Tokyo')).toBe('2027-02-01');
    expect(addDays(utc('2027-03-27T09:00:00'), 7, 'Europe/Berlin')).toEqual(utc('2027-04-03T08:00:00'));
  });
});

test('days are read strictly', () => {
  expect(['2027-01-31', '2028-02-29', '0001-01-01'].every(isDay)).toBe(true);
  expect(['2027-02-29', '2027-13-01', '2027-1-1', '20270131', '2027-01-31T00:00', '', 'tomorrow'].some(isDay)).toBe(
    false,
  );
});

describe('whatever the anchor, zone and interval', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'America/Sao_Paulo', 'Asia/Kolkata', 'Pacific/Auckland'];
  const calendars = fc.record({
    anchor: fc.date({ min: new Date('2020-01-01'), max: new Date('2060-01-01'), noInvalidDate: true }),
    timeZone: fc.constantFrom(...zones, 'Australia/Lord_Howe', 'Africa/Cairo', 'Asia/Beirut', 'Pacific/Apia'),
    unit: fc.constantFrom(...intervalUnits),
    count: fc.integer({ min: 1, max: 6 }),
  });

  test('periods follow each other without gap or overlap, and no start depends on how it was reached', () => {
    fc.assert(
      fc.property(calendars, fc.integer({ min: 0, max: 60 }), (dates, number) => {
        const [start, end] = [periodStart(dates, number), periodStart(dates, number + 1)];
        expect(end.getTime() - start.getTime()).toBeGreaterThan(6 * 86_400_000);
        expect(periodStart(dates, 0)).toEqual(dates.anchor);
      }),
    );
  });

  test('a month’s period begins on the anchor’s day, or on the last of a shorter month', () => {
    fc.assert(
      fc.property(calendars, fc.integer({ min: 0, max: 60 }), (given, number) => {
        const dates = { ...given, unit: 'month' as const };
        const anchorDay = Number(dayOf(dates.anchor, dates.timeZone).slice(8));
        const day = dayOf(periodStart(dates, number), dates.timeZone);
        const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))];
        const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
        expect(Number(day.slice(8))).toBe(Math.min(anchorDay, last));
      }),
    );
  });

  test('the number at a moment is that of the period it lies in', () => {
    fc.assert(
      fc.property(
        calendars,
        fc.integer({ min: 0, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (dates, number, share) => {
          const [start, end] = [periodStart(dates, number).getTime(), periodStart(dates, number + 1).getTime()];
          const inside = new Date(Math.min(end - 1, start + Math.floor((end - start) * share)));
          expect(periodNumberAt(dates, inside)).toBe(number);
          expect(periodNumberAt(dates, new Date(end))).toBe(number + 1);
        },
      ),
    );
  });
});
