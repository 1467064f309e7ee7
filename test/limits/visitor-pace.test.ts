import { expect, test } from 'vitest';
import { createVisitorPace } from '../../src/limits/visitor-pace.ts';

function openPace() {
  let at = 1_000_000;
  const pace = createVisitorPace(() => at);
  return {
    book: (address: string, visit: 'page' | 'glance' = 'page') => pace.book(visit, address),
    after: (millis: number) => {
      at += millis;
    },
  };
}

test('30 pages at once, then 10 a second, and who would wait over 5 s is refused', () => {
  const { book } = openPace();
  const booked = Array.from({ length: 200 }, () => book('192.0.2.1'));
  expect(booked.slice(0, 31).every(({ waitMillis }) => waitMillis === 0)).toBe(true);
  expect(booked[31]).toEqual({ waitMillis: 100, isRefused: false });
  expect(booked.filter(({ isRefused }) => !isRefused)).toHaveLength(81);
  expect(booked.at(-1)).toEqual({ waitMillis: 5100, isRefused: true });
});

test('a refusal costs nothing, and time gives everything back', () => {
  const { book, after } = openPace();
  for (let n = 0; n < 1000; n++) book('192.0.2.1');
  after(100);
  expect(book('192.0.2.1')).toEqual({ waitMillis: 5000, isRefused: false });
  expect(book('192.0.2.1').isRefused).toBe(true);
  after(60_000);
  expect(book('192.0.2.1')).toEqual({ waitMillis: 0, isRefused: false });
});

test('a glance costs a fifth of a page, and addresses are counted apart, a /64 as one', () => {
  const { book } = openPace();
  for (let n = 0; n < 151; n++) expect(book('2001:db8::1', 'glance').waitMillis).toBe(0);
  expect(book('2001:db8::ffff', 'glance').waitMillis).toBe(20);
  expect(book('2001:db8:0:1::1', 'glance').waitMillis).toBe(0);
});
