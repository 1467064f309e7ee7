import { divideRoundedHalfUp } from '../kernel/decimal.ts';
import { maxAmount } from '../kernel/money.ts';
import { shareOut } from '../kernel/share.ts';
import type { DiscountKind } from './discount.ts';
import { trimmedPercent } from './percent.ts';

/**
 * The one place where a price is worked out. Amounts are minor units of one currency, rates are percentages with at most
 * four decimals. The rule, line by line:
 *
 *   line      = price × quantity
 *   discount  = percent: the line's part, rounded half up; fixed: shared out over the lines, never more than they cost
 *   taxed     = line − discount
 *   each tax  = taxed × rate ÷ (100 + the line's inclusive rates), rounded half up
 *
 * An inclusive tax is already in the price and never more than it; any other is added. Totals are sums of lines, so they always add up.
 */
export interface TaxTerms {
  readonly id: string;
  readonly name: string;
  /** Percent, a decimal string. */
  readonly rate: string;
  readonly inclusive: boolean;
}

export interface DiscountTerms {
  readonly id: string;
  readonly name: string;
  readonly kind: DiscountKind;
  readonly percent: string | null;
  readonly amountCents: number | null;
}

/** What is bought; members beside these are carried through to the priced line. */
export interface LineTerms {
  readonly priceCents: number;
  readonly qty: number;
  readonly taxes: readonly TaxTerms[];
}

interface PricedLine<Line extends LineTerms = LineTerms> {
  readonly line: Line;
  readonly lineTotalCents: number;
  readonly discountCents: number;
  /** All rates of the line together; null when it bears no tax. */
  readonly taxRate: string | null;
  /** Inclusive and added taxes together. */
  readonly taxCents: number;
}

interface PricedTax {
  readonly tax_id: string;
  readonly name: string;
  readonly rate: string;
  readonly inclusive: boolean;
  readonly amount_cents: number;
}

export interface Priced<Line extends LineTerms = LineTerms> {
  readonly lines: readonly PricedLine<Line>[];
  /** Sum of the lines before discount and added tax. */
  readonly subtotalCents: number;
  readonly discountCents: number;
  readonly taxCents: number;
  readonly totalCents: number;
  readonly taxDetails: readonly PricedTax[];
}

const rateUnits = 10_000n;
const hundredPercent = 100n * rateUnits;

/** @throws {RangeError} when an amount passes what a JSON number carries exactly. */
export function price<Line extends LineTerms>(lines: readonly Line[], discount?: DiscountTerms): Priced<Line> {
  const totals = lines.map(({ priceCents, qty }) => exact(BigInt(priceCents) * BigInt(qty)));
  const discounts = discount ? discountsOf(lines, totals, discount) : totals.map(() => 0);
  const taxDetails = new Map<string, PricedTax>();
  let addedCents = 0n;

  const priced = lines.map((line, index): PricedLine<Line> => {
    const lineTotalCents = totals[index]!;
    const discountCents = discounts[index]!;
    const taxed = BigInt(lineTotalCents - discountCents);
    const rates = line.taxes.map(({ rate }) => readRate(rate));
    const inclusive = line.taxes.reduce((sum, tax, at) => (tax.inclusive ? sum + rates[at]! : sum), 0n);
    let taxCents = 0n;
    let leftInside = taxed;
    for (const [at, tax] of line.taxes.entries()) {
      const rounded = divideRoundedHalfUp(taxed * rates[at]!, hundredPercent + inclusive);
      // Several that are rounded up can come to more than a price of a few cents.
      const amount = tax.inclusive && rounded > leftInside ? leftInside : rounded;
      taxCents += amount;
      if (tax.inclusive) leftInside -= amount;
      else addedCents += amount;
      const known = taxDetails.get(tax.id);
      taxDetails.set(tax.id, {
        tax_id: tax.id,
        name: tax.name,
        rate: trimmedPercent(tax.rate),
        inclusive: tax.inclusive,
        amount_cents: exact(BigInt(known?.amount_cents ?? 0) + amount),
      });
    }
    const taxRate = rates.length === 0 ? null : percentText(rates.reduce((sum, rate) => sum + rate, 0n));
    return { line, lineTotalCents, discountCents, taxRate, taxCents: exact(taxCents) };
  });

  const subtotalCents = sumOf(totals);
  const discountCents = sumOf(discounts);
  return {
    lines: priced,
    subtotalCents,
    discountCents,
    taxCents: sumOf(priced.map(({ taxCents }) => taxCents)),
    totalCents: exact(BigInt(subtotalCents - discountCents) + addedCents),
    taxDetails: [...taxDetails.values()],
  };
}

function discountsOf(lines: readonly LineTerms[], totals: readonly number[], discount: DiscountTerms): number[] {
  if (discount.kind === 'percent') {
    const rate = readRate(discount.percent!);
    return totals.map((total) => Number(divideRoundedHalfUp(BigInt(total) * rate, hundredPercent)));
  }
  // Shared out in an order of its own, so that the same lines in another order come to the same.
  const order = lines.map((line, index) => ({ index, key: sortKey(line, totals[index]!) }));
  order.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const amount = Math.min(discount.amountCents!, sumOf(totals));
  const shares = shareOut(
    amount,
    order.map(({ index }) => totals[index]!),
  );
  const discounts = new Array<number>(lines.length).fill(0);
  for (const [at, { index }] of order.entries()) discounts[index] = shares[at]!;
  return discounts;
}

function sortKey({ priceCents, qty, taxes }: LineTerms, total: number): string {
  const texts = taxes.map(({ id, rate, inclusive }) => `${id} ${rate} ${inclusive}`);
  return [total, priceCents, qty].map((part) => String(part).padStart(16, '0')).join(' ') + texts.join(' ');
}

function readRate(percent: string): bigint {
  const [whole, fraction = ''] = percent.split('.');
  return BigInt(whole!) * rateUnits + BigInt(fraction.slice(0, 4).padEnd(4, '0'));
}

function percentText(rate: bigint): string {
  return trimmedPercent(`${rate / rateUnits}.${String(rate % rateUnits).padStart(4, '0')}`);
}

function sumOf(amounts: readonly number[]): number {
  return exact(amounts.reduce((sum, amount) => sum + BigInt(amount), 0n));
}

function exact(amount: bigint): number {
  if (amount > BigInt(maxAmount)) throw new RangeError(`more than ${maxAmount} minor units`);
  return Number(amount);
}
