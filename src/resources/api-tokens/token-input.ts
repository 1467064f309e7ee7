import { type Static, Type } from 'typebox';
import { noLimits } from '../../auth/api-key.ts';
import { toIpRange } from '../../auth/ip-ranges.ts';
import { invalid } from '../../kernel/errors.ts';
import { inputObject, oneOf, optional, textInput } from '../../model/fields.ts';
import { toolNames } from '../../model/tool-names.ts';
import type { KeyLimits } from '../../store/api-keys.ts';

export const ipRangesInput = optional(
  Type.Array(textInput(64, 'Range such as 203.0.113.0/24'), { minItems: 1, maxItems: 50 }),
);
export const rpmLimitInput = optional(
  Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Requests a minute' }),
);

/** @returns null for any address. @throws {AppError} 422 naming the first range that is none. */
export function readIpRanges(ranges: readonly string[] | null | undefined): string[] | null {
  if (ranges == null) return null;
  return ranges.map((text, index) => {
    const range = toIpRange(text);
    if (range === undefined) throw invalid(`ip_ranges[${index}] must be an address or a range such as 203.0.113.0/24`);
    return range;
  });
}

const limitInput = (description: string) =>
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: `${description}, in minor units of the merchant’s currency`,
  });

/** What a token may be held to besides its permissions; null: no limit. */
export const tokenLimitMembers = {
  allowed_tools: optional(
    Type.Array(oneOf(toolNames), {
      minItems: 1,
      maxItems: toolNames.length,
      description: 'The only operations it may call, over MCP and over REST; for secret tokens',
    }),
  ),
  max_order_cents: optional(limitInput('Largest amount it may ask for at once')),
  max_daily_cents: optional(limitInput('Most it may ask for in a day')),
  products_only: optional(
    Type.Boolean({
      description: 'Whether it makes checkouts of products alone, never of an amount; for publishable tokens',
    }),
  ),
};
const tokenLimits = inputObject(tokenLimitMembers);

/**
 * What a token will be held to: what is left out stays as it is, null lifts it.
 * @throws {AppError} 422
 */
export function readTokenLimits(
  kind: 'secret' | 'publishable',
  asked: Static<typeof tokenLimits>,
  before: KeyLimits = noLimits,
): KeyLimits {
  if (kind === 'publishable' && asked.allowed_tools) throw invalid('allowed_tools are for secret tokens only');
  if (kind === 'secret' && asked.products_only) throw invalid('products_only is for publishable tokens only');
  const { allowed_tools, max_order_cents, max_daily_cents, products_only } = { ...before, ...asked };
  return {
    allowed_tools: allowed_tools ?? null,
    max_order_cents: max_order_cents ?? null,
    max_daily_cents: max_daily_cents ?? null,
    products_only: products_only ?? false,
  };
}
