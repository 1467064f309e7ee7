import { type Static, Type } from 'typebox';
import { livemode, nullable, objectName, oneOf, timestamp, uuid } from './fields.ts';
import { trimmedPercent } from './percent.ts';

export const discountKinds = ['percent', 'fixed'] as const;
export type DiscountKind = (typeof discountKinds)[number];

export interface DiscountRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  name: string;
  code: string | null;
  kind: DiscountKind;
  percent: string | null;
  amount_cents: number | null;
  currency: string | null;
  enabled: boolean;
  starts_at: Date | null;
  ends_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** What every showing of a discount has in common. */
export const discountTerms = {
  id: uuid('Discount'),
  name: Type.String(),
  kind: oneOf(discountKinds),
  percent: nullable(Type.String({ description: 'Percent, a decimal string; null for kind fixed' })),
  amount_cents: nullable(Type.Integer({ description: 'In minor units of the currency; null for kind percent' })),
  currency: nullable(Type.String({ description: 'ISO 4217 code, lower case; null for kind percent' })),
  enabled: Type.Boolean(),
  starts_at: nullable(timestamp('From when it counts; null: always has')),
  ends_at: nullable(timestamp('When it stops counting; null: never')),
};

export const discountSchema = Type.Object(
  {
    object: objectName('discount'),
    livemode,
    ...discountTerms,
    code: nullable(Type.String({ description: 'What a customer types in; unique, upper and lower case alike' })),
    created_at: timestamp('When the discount was made'),
    updated_at: timestamp('When the discount last changed'),
  },
  { description: 'A discount' },
);
export type Discount = Static<typeof discountSchema>;

export function toDiscountTerms(row: DiscountRow) {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    percent: row.percent && trimmedPercent(row.percent),
    amount_cents: row.amount_cents,
    currency: row.currency,
    enabled: row.enabled,
    starts_at: row.starts_at?.toISOString() ?? null,
    ends_at: row.ends_at?.toISOString() ?? null,
  };
}

export function toDiscount(row: DiscountRow): Discount {
  return {
    object: 'discount',
    livemode: row.livemode,
    ...toDiscountTerms(row),
    code: row.code,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
