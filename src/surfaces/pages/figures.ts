import { currencyExponent } from '../../kernel/currency.ts';
import { formatAmount } from '../../kernel/money.ts';
import type { Language } from './language.ts';

/** Figures as one language writes them, with Latin digits so that a price reads the same to all who look at it. */
export interface Figures {
  /** Minor units of a lower-case ISO 4217 currency; exact for every amount. */
  money(cents: number, currency: string): string;
  /** Plain decimal text, such as the price of one bitcoin, in the currency's two or more decimals. */
  decimalMoney(amount: string, currency: string): string;
  /** A percentage as the API writes it, "8.25" or "7.0". */
  percent(rate: string): string;
  count(value: number | bigint): string;
  sats(amount: number): string;
  /** Day and minute in an IANA time zone; with the zone's name where `named`. */
  time(at: Date, timeZone: string, named?: boolean): string;
}

const figuresByLanguage = new Map<Language, Figures>();

/** Formatters are slow to make, so there is one set a language and it keeps its own. */
export function figuresOf(language: Language): Figures {
  let figures = figuresByLanguage.get(language);
  if (!figures) {
    figures = makeFigures(language);
    figuresByLanguage.set(language, figures);
  }
  return figures;
}

function makeFigures(language: Language): Figures {
  const moneyFormats = new Map<string, Intl.NumberFormat>();
  const timeFormats = new Map<string, Intl.DateTimeFormat>();
  const percents = new Intl.NumberFormat(language, {
    style: 'percent',
    numberingSystem: 'latn',
    maximumFractionDigits: 4,
  });
  const counts = new Intl.NumberFormat(language, { numberingSystem: 'latn' });

  function moneyFormat(currency: string, digits: number): Intl.NumberFormat {
    const key = `${currency} ${digits}`;
    let format = moneyFormats.get(key);
    if (!format) {
      format = new Intl.NumberFormat(language, {
        style: 'currency',
        currency,
        numberingSystem: 'latn',
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
      moneyFormats.set(key, format);
    }
    return format;
  }

  function timeFormat(timeZone: string, named: boolean): Intl.DateTimeFormat {
    const key = `${timeZone} ${named}`;
    let format = timeFormats.get(key);
    if (!format) {
      format = new Intl.DateTimeFormat(language, {
        year: 'numeric',
        month: 'short',
        day: 'numeric',
        hour: 'numeric',
        minute: '2-digit',
        ...(named ? { timeZoneName: 'short' as const } : {}),
        timeZone,
        numberingSystem: 'latn',
        calendar: 'gregory',
      });
      timeFormats.set(key, format);
    }
    return format;
  }

  return {
    money: (cents, currency) =>
      // As text: through a float the last digits of a large amount would be lost.
      plain(moneyFormat(currency, currencyExponent(currency)).format(formatAmount(cents, currency) as `${number}`)),
    decimalMoney: (amount, currency) =>
      plain(moneyFormat(currency, Math.max(2, currencyExponent(currency))).format(amount as `${number}`)),
    // As text: a float would turn 8.2 % into 8.199….
    percent: (rate) => plain(percents.format(`${rate}e-2` as `${number}`)),
    count: (value) => plain(counts.format(value)),
    sats: (amount) => `${plain(counts.format(amount))} sats`,
    time: (at, timeZone, named = false) => timeFormat(timeZone, named).format(at),
  };
}

// Arabic money carries marks that turn "US$ 24.50" around; the pages isolate figures themselves. The mark that keeps the
// last dot of an Arabic currency, as of the dinar, where its letters are stays.
function plain(text: string): string {
  return text.replace(/[\u200e\u061c]|(?<!\p{Script=Arabic}\.)\u200f/gu, '');
}
