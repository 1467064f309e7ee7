import { earlier } from '../kernel/clock.ts';
import { isCurrency } from '../kernel/currency.ts';
import { type Decimal, divideRoundedHalfUp, parseDecimal, scaleDecimal } from '../kernel/decimal.ts';

/** What one source said. */
export interface SourceReport {
  readonly source: string;
  /** Decimal strings by lower-case currency code. */
  readonly prices: Readonly<Record<string, string>>;
  readonly fetchedAt: Date;
}

/** A price that enough sources stand behind. */
interface AgreedPrice {
  readonly price: Decimal;
  /** Names of the sources behind it, as told to merchants: `median:coinbase,kraken`. */
  readonly source: string;
  /** When the oldest of the reports used was fetched. */
  readonly fetchedAt: Date;
}

const tolerancePercent = 3n;

/**
 * Settles one price per currency out of the reports of different sources. Pure. Empty when the sources do not agree on
 * the price in dollars, which anchors all others.
 */
export function agreePrices(reports: readonly SourceReport[], minimumSources: number): Map<string, AgreedPrice> {
  const agreed = new Map<string, AgreedPrice>();
  const quotes = quotesByCurrency(reports);
  const dollars = quotes.get('usd') ?? [];
  const dollarQuotes = agreeing(dollars, minimumSources);
  if (dollarQuotes.length === 0) return agreed;
  const dollar = medianOf(dollarQuotes);

  for (const [currency, given] of quotes) {
    // Sources enough, so they must agree; a quarrel is not settled by asking only one of them.
    if (given.length >= minimumSources) {
      const used = agreeing(given, minimumSources);
      if (used.length > 0) agreed.set(currency, medianOf(used));
      continue;
    }
    const crossed = crossQuotes(given, dollarQuotes, dollar.price);
    const used = agreeing(crossed, crossed.length);
    if (used.length === 0) continue;
    const cross = medianOf(used);
    agreed.set(currency, {
      price: cross.price,
      source: `${dollar.source} cross:${namesOf(used)}`,
      fetchedAt: earlier(cross.fetchedAt, dollar.fetchedAt),
    });
  }
  return agreed;
}

interface Quote {
  readonly source: string;
  readonly price: Decimal;
  readonly fetchedAt: Date;
}

function quotesByCurrency(reports: readonly SourceReport[]): Map<string, Quote[]> {
  const quotes = new Map<string, Quote[]>();
  for (const { source, prices, fetchedAt } of reports) {
    for (const [currency, text] of Object.entries(prices)) {
      const price = parseDecimal(text);
      if (price === undefined || price === 0n || !isCurrency(currency)) continue;
      const quote = { source, price, fetchedAt };
      const given = quotes.get(currency);
      if (given) given.push(quote);
      else quotes.set(currency, [quote]);
    }
  }
  return quotes;
}

/**
 * Most currencies are quoted by one source alone. Its own rate between them and the dollar is taken on trust (it moves
 * little, and there is nobody to compare with), but not its price of bitcoin: that is replaced by the one agreed on. So
 * a source that is wrong about bitcoin is wrong in no currency; and one whose dollar price was dropped is not asked.
 */
function crossQuotes(given: readonly Quote[], dollarQuotes: readonly Quote[], dollarPrice: Decimal): Quote[] {
  return given.flatMap((quote) => {
    const own = dollarQuotes.find((other) => other.source === quote.source);
    return own ? [{ ...quote, price: scaleDecimal(quote.price, dollarPrice, own.price) }] : [];
  });
}

/**
 * The quotes within 3 % of the median; none if fewer than `minimum` are left. Of an even number there are two middle
 * quotes, and one must be near both: a midpoint between two camps lies close to each and is the price of neither.
 */
function agreeing(quotes: readonly Quote[], minimum: number): readonly Quote[] {
  if (quotes.length === 0) return [];
  const [low, high] = middlePrices(quotes);
  const near = quotes.filter(({ price }) => isNear(price, low) && isNear(price, high));
  return near.length >= minimum ? near : [];
}

function isNear(price: bigint, middle: bigint): boolean {
  const distance = price > middle ? price - middle : middle - price;
  return distance * 100n <= middle * tolerancePercent;
}

function medianOf(quotes: readonly Quote[]): AgreedPrice {
  const [low, high] = middlePrices(quotes);
  return {
    price: divideRoundedHalfUp(low + high, 2n) as Decimal,
    source: `median:${namesOf(quotes)}`,
    fetchedAt: quotes.map((quote) => quote.fetchedAt).reduce(earlier),
  };
}

/** The two middle prices of at least one quote; of an odd number it is the same one twice. */
function middlePrices(quotes: readonly Quote[]): [low: Decimal, high: Decimal] {
  const sorted = quotes.map((quote) => quote.price).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!];
}

function namesOf(quotes: readonly Quote[]): string {
  const names = quotes.map((quote) => quote.source);
  return names.sort().join(',');
}
