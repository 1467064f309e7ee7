import { formatAmount, maxAmount, parseAmount, variancePercentage } from '../kernel/money.ts';
import type { PaymentRow } from './payment.ts';

/** What arrived in bitcoin for an order, and what it was worth then. */
export type Received = Pick<
  PaymentRow,
  'amount_sats' | 'fiat_value' | 'usd_value' | 'fiat_variance_cents' | 'usd_variance_cents' | 'variance_percentage'
>;

const nothing: Received = {
  amount_sats: null,
  fiat_value: null,
  usd_value: null,
  fiat_variance_cents: null,
  usd_variance_cents: null,
  variance_percentage: null,
};

/**
 * The Lightning payments among the payments of an order, taken together; every figure is null when there is none.
 * Values in the order's currency are null too when a part came while it had another.
 */
export function addUpReceived(payments: readonly PaymentRow[], currency: string): Received {
  const parts = payments.filter(({ kind }) => kind === 'lightning');
  const [only] = parts;
  if (!only) return nothing;
  if (parts.length === 1) return only;
  const inCurrency = parts.every((part) => part.currency === currency);
  const fiatVariance = inCurrency ? sum(parts.map((part) => part.fiat_variance_cents)) : null;
  const quoted = sum(parts.map((part) => part.amount_cents));
  return {
    amount_sats: receivedSats(parts),
    fiat_value: inCurrency ? addUpValues(parts, 'fiat_value', currency) : null,
    usd_value: addUpValues(parts, 'usd_value', 'usd'),
    fiat_variance_cents: fiatVariance,
    usd_variance_cents: sum(parts.map((part) => part.usd_variance_cents)),
    variance_percentage:
      fiatVariance === null || quoted === null ? null : variancePercentage(quoted, quoted + fiatVariance),
  };
}

/** Sats of all the payments; 0 for cash. */
export function receivedSats(payments: readonly PaymentRow[]): number {
  return payments.reduce((all, { amount_sats }) => all + (amount_sats ?? 0), 0);
}

function addUpValues(parts: readonly PaymentRow[], member: 'fiat_value' | 'usd_value', currency: string) {
  const amounts = parts.map((part) => {
    const value = part[member];
    return value === null ? null : (parseAmount(value, currency) ?? null);
  });
  const all = sum(amounts);
  return all === null ? null : formatAmount(Math.min(all, maxAmount), currency);
}

/** @returns null where one of them is not known. */
function sum(amounts: readonly (number | null)[]): number | null {
  let all = 0;
  for (const amount of amounts) {
    if (amount === null) return null;
    all += amount;
  }
  return all;
}
