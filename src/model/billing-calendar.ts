import { Temporal } from 'temporal-polyfill';

/**
 * When periods of a subscription begin. Every one is counted from the anchor, the moment of the first charge, and never
 * from the period before it, so that no shortened month is carried on: 31 January, 28 February, 31 March.
 *
 * Days, months and the hour are those of a clock on the wall in the merchant's time zone. Where that clock is put
 * forward over the hour, the period begins as much later; where the hour comes twice, it begins with the first.
 */
export const intervalUnits = ['week', 'month', 'year'] as const;
export type IntervalUnit = (typeof intervalUnits)[number];

export interface BillingCalendar {
  readonly anchor: Date;
  /** IANA name. */
  readonly timeZone: string;
  readonly unit: IntervalUnit;
  /** Units in a period, from 1. */
  readonly count: number;
}

/** The beginning of period `number`, counted from 0 at the anchor; the end of the one before it. */
export function periodStart({ anchor, timeZone, unit, count }: BillingCalendar, number: number): Date {
  const length = { [`${unit}s`]: count * number };
  return toDate(zoned(anchor, timeZone).add(length, { overflow: 'constrain' }));
}

/** The number of the period that `moment` lies in; 0 before the anchor. */
export function periodNumberAt(calendar: BillingCalendar, moment: Date): number {
  const { anchor, timeZone, unit, count } = calendar;
  if (moment <= anchor) return 0;
  const passed = zoned(anchor, timeZone).until(zoned(moment, timeZone), { largestUnit: unit });
  // Counting units back from a short month may be one off; the beginnings decide.
  let number = Math.max(0, Math.floor(passed[`${unit}s`] / count) - 1);
  while (periodStart(calendar, number + 1) <= moment) number++;
  return number;
}

/** The first moment of a day, which is not midnight everywhere. @param day YYYY-MM-DD. */
export function startOfDay(day: string, timeZone: string): Date {
  return toDate(Temporal.PlainDate.from(day).toZonedDateTime(timeZone));
}

/** The day that `moment` lies in, as YYYY-MM-DD. */
export function dayOf(moment: Date, timeZone: string): string {
  return zoned(moment, timeZone).toPlainDate().toString();
}

/** The same time of day so many days later. */
export function addDays(moment: Date, days: number, timeZone: string): Date {
  return toDate(zoned(moment, timeZone).add({ days }));
}

/** Whether text is a day of the calendar, as YYYY-MM-DD. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  try {
    Temporal.PlainDate.from(text, { overflow: 'reject' });
    return true;
  } catch {
    return false;
  }
}

function zoned(moment: Date, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(timeZone);
}

function toDate(moment: Temporal.ZonedDateTime): Date {
  return new Date(moment.epochMilliseconds);
}
