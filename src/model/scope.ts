import type { Scope } from '../kernel/context.ts';

/** The tenant and mode that a row belongs to. */
export function scopeOf(row: { readonly merchant_id: string; readonly livemode: boolean }): Scope {
  return { merchantId: row.merchant_id, livemode: row.livemode };
}

/** A scope as a key of maps. */
export const scopeText = ({ merchantId, livemode }: Scope): string => `${merchantId} ${livemode}`;
