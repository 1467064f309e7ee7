import type { Handle } from '../db/database.ts';
import type { Caller } from '../kernel/context.ts';
import { currencyExponent } from '../kernel/currency.ts';
import { decimal, divideRoundedUp } from '../kernel/decimal.ts';
import { AppError } from '../kernel/errors.ts';
import { formatMoney, maxAmount } from '../kernel/money.ts';
import { dayOf } from '../model/billing-calendar.ts';
import { addToKeyDay, findKeyDay } from '../store/api-key-days.ts';
import { findMerchant } from '../store/merchants.ts';
import { type RatesByMode, ratesOf } from './parts.ts';

/** What a call would make payable, in minor units of a lower-case currency. */
export interface Asked {
  readonly amountCents: number;
  readonly currency: string;
  /** What of it counts for the day, where that is not all: of a changed order, what it rose by. */
  readonly addedCents?: number;
}

/** Who asks, and with what it is worked out. */
interface AllowanceCall {
  readonly db: Handle;
  readonly caller: Caller;
  readonly parts: { readonly rates: RatesByMode };
  readonly now: Date;
}

/**
 * Holds a key to the largest amount it may ask for at once and on a day of its merchant, whichever operation makes the
 * amount payable: every one of them ends here. Counts what was asked for, paid or not.
 *
 * In the transaction of the change, after everything else that locks: the key's day is a counter.
 * @throws {AppError} `forbidden` over a limit; `rate_unavailable` when a foreign currency has no price now.
 */
export async function takeAllowance(call: AllowanceCall, asked: Asked): Promise<void> {
  const day = await openDay(call, asked);
  if (day === undefined || day.added === 0) return;
  const { caller, db } = call;
  const fits = day.added <= day.most && (await addToKeyDay(db, caller.credentialId, day.date, day.added, day.most));
  if (!fits) throw await overDay(call, day);
}

/** The same before a wallet is asked, so that none is asked in vain. Takes nothing, and so decides nothing about the day. */
export async function checkAllowance(call: AllowanceCall, asked: Asked): Promise<void> {
  const day = await openDay(call, asked);
  if (day === undefined) return;
  if ((await findKeyDay(call.db, call.caller.credentialId, day.date)) + day.added > day.most) {
    throw await overDay(call, day);
  }
}

/** An amount that others will be asked for later, such as a price: for it there is no day. */
export async function checkLargestAmount(call: AllowanceCall, asked: Asked): Promise<void> {
  await openDay(call, asked);
}

interface Day {
  readonly date: string;
  readonly added: number;
  readonly most: number;
  readonly currency: string;
}

/** Checks the amount itself. @returns what the day is about; undefined where the key has no daily limit. */
async function openDay({ db, caller, parts, now }: AllowanceCall, asked: Asked): Promise<Day | undefined> {
  const { maxOrderCents = null, maxDailyCents = null } = caller.allowance ?? {};
  if (maxOrderCents === null && maxDailyCents === null) return undefined;
  const { currency, time_zone: timeZone } = (await findMerchant(db, caller.merchantId))!;
  const inOwn = (cents: number) => convert(parts.rates, caller.livemode, cents, asked.currency, currency);
  const amount = inOwn(asked.amountCents);
  if (maxOrderCents !== null && amount > maxOrderCents) {
    const [most, one] = [formatMoney(maxOrderCents, currency), formatMoney(amount, currency)];
    throw new AppError('forbidden', `This key may ask for at most ${most} at once, and this is ${one}`);
  }
  if (maxDailyCents === null) return undefined;
  const added = asked.addedCents === undefined ? amount : inOwn(asked.addedCents);
  return { date: dayOf(now, timeZone), added, most: maxDailyCents, currency };
}

async function overDay({ db, caller }: AllowanceCall, { date, added, most, currency }: Day): Promise<AppError> {
  const taken = await findKeyDay(db, caller.credentialId, date);
  const [limit, before, more] = [most, taken, added].map((cents) => formatMoney(cents, currency));
  return new AppError(
    'forbidden',
    `This key may ask for at most ${limit} a day; it has asked for ${before} today, and this would add ${more}`,
  );
}

/** Through bitcoin, at the prices in force; rounded up, so that small amounts do not slip through. */
function convert(rates: RatesByMode, livemode: boolean, cents: number, from: string, to: string): number {
  if (from === to || cents === 0) return cents;
  const price = (currency: string) => decimal(ratesOf(rates, livemode).quote(currency).btcFiat);
  const minor = (currency: string) => 10n ** BigInt(currencyExponent(currency));
  const converted = divideRoundedUp(BigInt(cents) * price(to) * minor(to), price(from) * minor(from));
  return converted > BigInt(maxAmount) ? maxAmount : Number(converted);
}
