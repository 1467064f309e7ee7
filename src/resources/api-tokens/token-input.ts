import { Type } from 'typebox';
import { toIpRange } from '../../auth/ip-ranges.ts';
import { invalid } from '../../kernel/errors.ts';
import { oneOf, optional, textInput } from '../../model/fields.ts';
import { toolNames } from '../../model/tool-names.ts';

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

/** What an agent’s token may be held to; null: no limit. */
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
};

/** @throws {AppError} 422 */
export function checkTokenLimits(
  kind: 'secret' | 'publishable',
  allowedTools: readonly string[] | null | undefined,
): void {
  if (kind === 'publishable' && allowedTools) throw invalid('allowed_tools are for secret tokens only');
}
