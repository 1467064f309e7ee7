import { InvalidArgumentError } from 'commander';
import { toIpRange } from '../auth/ip-ranges.ts';
import type { Permission } from '../kernel/context.ts';
import { formatMoney, parseAmount } from '../kernel/money.ts';
import { permissions } from '../model/api-token.ts';
import { toolNames } from '../model/tool-names.ts';
import type { KeyLimits } from '../store/api-keys.ts';
import { CliFailure } from './failure.ts';

/** Reads `orders:read,orders:write`. */
export function readPermissions(text: string): Permission[] {
  return listed(text).map((word) => {
    const permission = permissions.find((known) => known === word);
    if (permission) return permission;
    throw new InvalidArgumentError(`${JSON.stringify(word)} is none of ${permissions.join(', ')}.`);
  });
}

/** Reads `10.0.0.0/8,2001:db8::1`. */
export function readIpRanges(text: string): string[] {
  return listed(text).map((word) => {
    const range = toIpRange(word);
    if (range !== undefined) return range;
    throw new InvalidArgumentError(
      `${JSON.stringify(word)} is no address or range, such as 10.0.0.0/8 or 2001:db8::/32.`,
    );
  });
}

/** Reads `get_order,create_order`. */
export function readTools(text: string): string[] {
  return listed(text).map((word) => {
    const tool = toolNames.find((known) => known === word);
    if (tool) return tool;
    throw new InvalidArgumentError(`${JSON.stringify(word)} is none of ${toolNames.join(', ')}.`);
  });
}

/** Reads an amount such as `49.90`; how many decimals it may have, its currency says. */
export function readAmountText(text: string): string {
  if (/^\d{1,16}(\.\d{1,4})?$/.test(text) && /[1-9]/.test(text)) return text;
  throw new InvalidArgumentError('It must be an amount above 0, such as 49.90.');
}

/** @returns null for none. @throws {CliFailure} for an amount with more decimals than the currency has, or above all others. */
export function toLimitCents(text: string | undefined, currency: string): number | null {
  if (text === undefined) return null;
  const amount = parseAmount(text, currency);
  if (!amount) throw new CliFailure(`${text} is no amount of ${currency}.`);
  return amount;
}

/** What a key is held to, a line each. */
export function limitLines(row: KeyLimits, currency: string): string[] {
  const { allowed_tools: tools, max_order_cents: order, max_daily_cents: day, products_only } = row;
  return [
    ...(tools ? [`  only  ${tools.join(', ')}`] : []),
    ...(order === null ? [] : [`  asks  at most ${formatMoney(order, currency)} at once`]),
    ...(day === null ? [] : [`  asks  at most ${formatMoney(day, currency)} a day`]),
    ...(products_only ? ['  asks  for products only'] : []),
  ];
}

/** The same in a few words, for a table. */
export function limitsText(row: KeyLimits, currency: string): string {
  const { allowed_tools: tools, max_order_cents: order, max_daily_cents: day, products_only } = row;
  const parts = [
    ...(tools ? [tools.length === 1 ? tools[0]! : `${tools.length} tools`] : []),
    ...(order === null ? [] : [`${formatMoney(order, currency)} at once`]),
    ...(day === null ? [] : [`${formatMoney(day, currency)} a day`]),
    ...(products_only ? ['products only'] : []),
  ];
  return parts.join(', ') || 'none';
}

function listed(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words)].filter((word, index) => word !== '' || index === 0);
}
