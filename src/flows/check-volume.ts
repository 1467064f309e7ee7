import type { Handle } from '../db/database.ts';
import type { Scope } from '../kernel/context.ts';
import { currencyExponent } from '../kernel/currency.ts';
import { decimal, decimalOne } from '../kernel/decimal.ts';
import { AppError } from '../kernel/errors.ts';
import { readVolume } from '../store/plans.ts';
import { type RatesByMode, ratesOf } from './parts.ts';

/**
 * Refuses new bitcoin orders of a merchant whose plan's monthly volume is used up. Payments of this calendar month (UTC)
 * count, valued in the merchant's currency when they arrived. Only where that value is not known, because the currency was
 * changed since, do their dollars count at today's price.
 * @throws {AppError} `volume_exceeded`.
 */
export async function checkVolume(db: Handle, rates: RatesByMode, scope: Scope, now: Date): Promise<void> {
  const since = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
  const { max_monthly_volume_cents: most, currency, own, other_usd: otherUsd } = await readVolume(db, scope, since);
  if (most === null) return;
  let total: bigint = decimal(own);
  if (decimal(otherUsd) > 0n) {
    const { btcFiat, btcUsd } = ratesOf(rates, scope.livemode).quote(currency);
    total += (decimal(otherUsd) * decimal(btcFiat)) / decimal(btcUsd);
  }
  if (total * 10n ** BigInt(currencyExponent(currency)) < BigInt(most) * decimalOne) return;
  throw new AppError(
    'volume_exceeded',
    'The monthly volume of this merchant’s plan is used up; cash orders still work, and a larger plan or the next month lifts it',
  );
}
