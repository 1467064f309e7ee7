import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DiscountTerms, type LineTerms, price, type TaxTerms } from '../../src/model/pricing.ts';

const tax = (rate: string, inclusive = false): TaxTerms => ({
  id: `tax ${rate} ${inclusive}`,
  name: 'Tax',
  rate,
  inclusive,
});
const line = (priceCents: number, qty = 1, ...taxes: TaxTerms[]): LineTerms => ({ priceCents, qty, taxes });
const percent = (text: string): DiscountTerms => ({
  id: 'd',
  name: 'Sale',
  kind: 'percent',
  percent: text,
  amountCents: null,
});
const fixed = (amountCents: number): DiscountTerms => ({
  id: 'd',
  name: 'Voucher',
  kind: 'fixed',
  percent: null,
  amountCents,
});

describe('tax', () => {
  test('is rounded half up on each line, and the total is the sum of the lines (case C109)', () => {
    const priced = price([line(1141, 1, tax('8')), line(1141, 1, tax('8'))]);
    expect(priced.lines.map(({ taxCents }) => taxCents)).toEqual([91, 91]);
    expect(priced).toMatchObject({ taxCents: 182, totalCents: 2464, subtotalCents: 2282 });
    expect(priced.taxDetails).toEqual([
      { tax_id: 'tax 8 false', name: 'Tax', rate: '8.0', inclusive: false, amount_cents: 182 },
    ]);
    // 0.9152 each, and halves.
    expect(price([line(1144, 1, tax('8')), line(1144, 1, tax('8'))]).taxCents).toBe(184);
    expect(price([line(5, 1, tax('10')), line(5, 1, tax('10'))]).taxCents).toBe(2);
  });

  test('that is inclusive is found inside the price and changes no total', () => {
    const priced = price([line(11900, 1, tax('19', true))]);
    expect(priced).toMatchObject({ taxCents: 1900, totalCents: 11900 });
  });

  test('beside an inclusive one is added on the price without it', () => {
    const priced = price([line(12100, 1, tax('21', true), tax('10'))]);
    expect(priced).toMatchObject({ taxCents: 2100 + 1000, totalCents: 13100 });
    expect(priced.lines[0]!.taxRate).toBe('31.0');
  });

  test('that is inclusive is never more than the price, however often it is rounded up', () => {
    const taxes = ['one', 'two', 'three'].map((id) => ({ ...tax('100', true), id }));
    const priced = price([line(2, 1, ...taxes)]);
    expect(priced).toMatchObject({ taxCents: 2, totalCents: 2 });
    expect(priced.taxDetails.map(({ amount_cents }) => amount_cents)).toEqual([1, 1, 0]);
  });

  test('of a quarter percent counts', () => {
    expect(price([line(10_000, 1, tax('8.25'))]).taxCents).toBe(825);
    expect(price([line(1, 1, tax('0.0001'))]).taxCents).toBe(0);
  });
});

describe('a discount', () => {
  test('is never more than what it is taken from (case C111)', () => {
    expect(price([line(6000, 1, tax('10'))], fixed(7000))).toMatchObject({
      discountCents: 6000,
      taxCents: 0,
      totalCents: 0,
    });
    expect(price([line(5000)], percent('100'))).toMatchObject({ discountCents: 5000, totalCents: 0 });
  });

  test('lowers what is taxed', () => {
    expect(price([line(1000, 2, tax('10'))], percent('25'))).toMatchObject({
      discountCents: 500,
      taxCents: 150,
      totalCents: 1650,
    });
  });
});

test('an amount beyond what JSON carries is refused', () => {
  expect(() => price([line(Number.MAX_SAFE_INTEGER, 2)])).toThrow(RangeError);
  expect(() => price([line(Number.MAX_SAFE_INTEGER, 1, tax('1'))])).toThrow(RangeError);
});

const rates = fc.integer({ min: 0, max: 1_000_000 }).map((units) => (units / 10_000).toFixed(4));
const taxes = fc
  .array(fc.tuple(rates, fc.boolean()), { maxLength: 3 })
  .map((all) => all.map(([rate, inside]) => tax(rate, inside)));
const lines = fc.array(
  fc.record({ priceCents: fc.oneof(fc.nat(9), fc.nat(10_000_000)), qty: fc.integer({ min: 1, max: 99 }), taxes }),
  { minLength: 1, maxLength: 8 },
);
const discounts = fc.oneof(
  fc.constant(undefined),
  rates.map(percent),
  fc.integer({ min: 1, max: 100_000_000 }).map(fixed),
);

test('sums of lines are the totals, and nothing is ever negative', () => {
  fc.assert(
    fc.property(lines, discounts, (basket, discount) => {
      const priced = price(basket, discount);
      const sum = (pick: (one: (typeof priced.lines)[number]) => number) =>
        priced.lines.reduce((all, one) => all + pick(one), 0);
      expect(sum(({ lineTotalCents }) => lineTotalCents)).toBe(priced.subtotalCents);
      expect(sum(({ discountCents }) => discountCents)).toBe(priced.discountCents);
      expect(sum(({ taxCents }) => taxCents)).toBe(priced.taxCents);
      expect(priced.taxDetails.reduce((all, { amount_cents }) => all + amount_cents, 0)).toBe(priced.taxCents);
      const added = priced.taxDetails
        .filter(({ inclusive }) => !inclusive)
        .reduce((all, one) => all + one.amount_cents, 0);
      expect(priced.totalCents).toBe(priced.subtotalCents - priced.discountCents + added);
      expect(priced.taxCents - added).toBeLessThanOrEqual(priced.subtotalCents - priced.discountCents);
      for (const one of priced.lines) {
        expect(one.taxCents).toBeGreaterThanOrEqual(0);
        expect(one.discountCents).toBeLessThanOrEqual(one.lineTotalCents);
        expect(one.discountCents).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});

test('the order of the lines does not matter', () => {
  fc.assert(
    fc.property(lines, discounts, fc.infiniteStream(fc.nat()), (basket, discount, order) => {
      const shuffled = basket
        .map((one) => ({ one, at: order.next().value as number }))
        .sort((a, b) => a.at - b.at)
        .map(({ one }) => one);
      const { subtotalCents, discountCents, taxCents, totalCents } = price(basket, discount);
      expect(price(shuffled, discount)).toMatchObject({ subtotalCents, discountCents, taxCents, totalCents });
    }),
  );
});
