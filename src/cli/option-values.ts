import { InvalidArgumentError } from 'commander';
import { parseCurrency } from '../kernel/currency.ts';
import { isEmailAddress } from '../kernel/email.ts';
import { isUuid } from '../kernel/ids.ts';
import { parseTimeZone } from '../kernel/time-zone.ts';
import { parseTimestamp } from '../kernel/timestamp.ts';
import { longestDelayMillis, longestPayAfterSeconds, type SimulationWishes } from '../model/simulation.ts';

/** Readers of what stands behind an option. Each throws what commander prints as a usage error. */

export function readId(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be an id as the lists print them.');
  return text.toLowerCase();
}

export function readName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 500) throw new InvalidArgumentError('It must have 1 to 500 characters.');
  return name;
}

export function readEmail(text: string): string {
  const address = text.trim();
  if (!isEmailAddress(address))
    throw new InvalidArgumentError('It must be an e-mail address, such as shop@example.com.');
  return address;
}

/** @returns the code in lower case. */
export function readCurrency(text: string): string {
  const code = parseCurrency(text.trim());
  if (code === undefined) throw new InvalidArgumentError('It must be an ISO 4217 code, such as usd or eur.');
  return code;
}

/** @returns the name in its usual spelling. */
export function readTimeZone(text: string): string {
  const name = parseTimeZone(text.trim());
  if (name === undefined) throw new InvalidArgumentError('It must be an IANA time zone, such as UTC or Europe/Berlin.');
  return name;
}

export function readMediaType(text: string): string {
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(text))
    throw new InvalidArgumentError('It must be a media type, such as application/pdf.');
  return text;
}

export function readMoment(text: string): Date {
  const moment = parseTimestamp(text.trim());
  if (moment === undefined) throw new InvalidArgumentError('It must be a date such as 2027-03-01.');
  return moment;
}

export function readDays(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of days above 0.');
  return Number(text);
}

export function readSats(text: string): number {
  const sats = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(sats)) throw new InvalidArgumentError('It must be a whole number of sats above 0.');
  return sats;
}

/**
 * What the simulated wallet is to do, such as `delay=2000,hold`; what is not named it does no more. The ranges are those
 * of the API.
 */
export function readSimulation(text: string): SimulationWishes {
  const wishes: SimulationWishes = { fail: false, delay_ms: 0, hold: false, pay_after_seconds: null };
  if (text.trim() === 'nothing') return wishes;
  for (const word of text.split(',').map((part) => part.trim())) {
    const [, name, figure] = /^(delay|pay-after)=(\d{1,6})$/.exec(word) ?? [];
    if (word === 'fail' || word === 'hold') wishes[word] = true;
    else if (name === 'delay') wishes.delay_ms = Number(figure);
    else if (name === 'pay-after') wishes.pay_after_seconds = Number(figure);
    else
      throw new InvalidArgumentError('It must be a list such as "delay=2000,hold" of fail, delay, hold and pay-after.');
  }
  const { delay_ms, pay_after_seconds } = wishes;
  if (delay_ms! > longestDelayMillis || (pay_after_seconds ?? 0) > longestPayAfterSeconds) {
    throw new InvalidArgumentError(`delay goes to ${longestDelayMillis}, pay-after to ${longestPayAfterSeconds}.`);
  }
  return wishes;
}

export function readPosition(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 0 on.');
  return Number(text);
}
