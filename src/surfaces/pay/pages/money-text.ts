import { currencyExponent } from '../../../kernel/currency.ts';
import { formatAmount } from '../../../kernel/money.ts';

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(tag: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${tag} ${JSON.stringify(options)}`;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(tag, options);
    formats.set(key, format);
  }
  return format;
}

/** Minor units as people of a language write them; exact, since it goes through text. */
export function moneyText(amountCents: number, currency: string, tag: string): string {
  const digits = currencyExponent(currency);
  const options = {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const;
  return formatOf(tag, options).format(formatAmount(amountCents, currency) as `${number}`);
}

export function satsText(amountSats: number, tag: string): string {
  return `${formatOf(tag, {}).format(amountSats)} sats`;
}

/** @param price a decimal string */
export function rateText(price: string, currency: string, tag: string): string {
  const [whole, fraction = ''] = price.split('.');
  const digits = currencyExponent(currency);
  const text = `${whole}.${fraction.slice(0, Math.max(2, digits)).padEnd(1, '0')}` as `${number}`;
  return `1 BTC = ${formatOf(tag, { style: 'currency', currency, maximumFractionDigits: Math.max(2, digits) }).format(text)}`;
}
