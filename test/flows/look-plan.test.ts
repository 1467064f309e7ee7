import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextLookAt } from '../../src/flows/look-plan.ts';
import { addSeconds } from '../../src/kernel/clock.ts';

const start = new Date('2027-03-01T10:00:00.000Z');
const day = 24 * 3600;

interface Life {
  invoiceSeconds: number;
  bolt11Seconds: number;
  /** Second after which somebody looks all the time; undefined: nobody ever. */
  viewedFrom?: number | undefined;
  supersededAfter?: number | undefined;
}

/** Every look-up of an unpaid invoice, in seconds from its start. Answers take no time here. */
function looks({ invoiceSeconds, bolt11Seconds, viewedFrom, supersededAfter }: Life): number[] {
  const bolt11End = addSeconds(start, bolt11Seconds);
  const invoice = {
    created_at: start,
    expires_at: addSeconds(start, Math.min(invoiceSeconds, bolt11Seconds)),
    bolt11_expires_at: bolt11End,
    watch_until: addSeconds(bolt11End, 8 * day),
    superseded_at: null as Date | null,
    viewed_at: null as Date | null,
  };
  const seconds: number[] = [];
  for (let at: Date | null = addSeconds(start, 2); at !== null; at = nextLookAt(invoice, at)) {
    const second = (at.getTime() - start.getTime()) / 1000;
    seconds.push(second);
    if (seconds.length > 5000) throw new Error('the plan does not end');
    if (viewedFrom !== undefined && second >= viewedFrom) invoice.viewed_at = at;
    if (supersededAfter !== undefined && second >= supersededAfter) invoice.superseded_at ??= at;
  }
  return seconds;
}

const lives = fc.record({
  invoiceSeconds: fc.integer({ min: 30, max: 900 }),
  bolt11Seconds: fc.integer({ min: 30, max: 30 * day }),
  viewedFrom: fc.option(fc.integer({ min: 0, max: 900 }), { nil: undefined }),
  supersededAfter: fc.option(fc.integer({ min: 0, max: 900 }), { nil: undefined }),
});

test('the plan goes forward, ends after its last moment, and never sleeps past the end of an invoice', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const seconds = looks(life);
      const end = Math.min(life.invoiceSeconds, life.bolt11Seconds);
      for (const [index, second] of seconds.slice(0, -1).entries()) {
        const next = seconds[index + 1]!;
        expect(next).toBeGreaterThan(second);
        const open = life.supersededAfter === undefined || second < life.supersededAfter;
        if (second < end && open) expect(next).toBeLessThanOrEqual(end + 0.001);
        // A wallet is never asked in a rush, except where a pause was cut to meet the end.
        const cut = (next >= end && next <= end + 0.001) || index === seconds.length - 2;
        if (!cut) expect(next - second).toBeGreaterThanOrEqual(1.4);
      }
      // To the very end: BOLT11's own, a day for late HTLCs, a week of daily looks.
      expect(seconds.at(-1)).toBe(life.bolt11Seconds + 8 * day);
    }),
  );
});

test('two processes whose clocks differ agree on the order of things', () => {
  fc.assert(
    fc.property(lives, fc.integer({ min: 0, max: 10 * day }), fc.integer({ min: 0, max: 3600 }), (life, at, later) => {
      const end = addSeconds(start, Math.min(life.invoiceSeconds, life.bolt11Seconds));
      const invoice = {
        created_at: start,
        expires_at: end,
        bolt11_expires_at: addSeconds(start, life.bolt11Seconds),
        watch_until: addSeconds(start, life.bolt11Seconds + 8 * day),
        superseded_at: null,
        viewed_at: null,
      };
      const first = nextLookAt(invoice, addSeconds(start, at));
      const second = nextLookAt(invoice, addSeconds(start, at + later));
      if (first === null) expect(second).toBeNull();
      else if (second !== null) expect(second.getTime()).toBeGreaterThanOrEqual(first.getTime());
    }),
  );
});

/** When payers pay, in seconds from the invoice: most within a minute, some take their time. */
const payTimes = [8, 12, 15, 18, 20, 25, 30, 35, 40, 45, 50, 60, 75, 90, 120, 180, 240, 420, 600, 840];
const usual = { invoiceSeconds: 900, bolt11Seconds: 900 };

function looksUntil(payTime: number, life: Life): number {
  return looks(life).findIndex((second) => second >= payTime) + 1;
}

test('the goal of at most 60 look-ups for a paid invoice holds with and without somebody watching', () => {
  const mean = (life: Life) => payTimes.reduce((sum, time) => sum + looksUntil(time, life), 0) / payTimes.length;
  const watched = mean({ ...usual, viewedFrom: 0 });
  const unwatched = mean(usual);
  const unpaid = { watched: looks({ ...usual, viewedFrom: 0 }).length, unwatched: looks(usual).length };
  console.log(
    `look-ups per paid invoice: ${watched.toFixed(1)} watched, ${unwatched.toFixed(1)} unwatched (20 payers, 8 s to 14 min); ` +
      `per unpaid invoice, all 9 days: ${unpaid.watched} with a viewer to the end, ${unpaid.unwatched} without`,
  );
  expect(watched).toBeLessThanOrEqual(60);
  expect(unwatched).toBeLessThanOrEqual(60);
  // The design's figures for an unpaid invoice, and the week of daily looks that came on top.
  expect(unpaid.unwatched).toBeLessThanOrEqual(86);
  expect(looks(usual).filter((second) => second <= 900).length).toBeLessThanOrEqual(60);
});
