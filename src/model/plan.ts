import { type Static, Type } from 'typebox';
import { formatMoney } from '../kernel/money.ts';
import { nullable } from './fields.ts';

export interface PlanRow {
  slug: string;
  name: string;
  description: string;
  price_cents: number;
  currency: string;
  min_monthly_volume_cents: number;
  max_monthly_volume_cents: number | null;
  features: Record<string, boolean | number | null>;
  requires_kyc: boolean;
  on_sale: boolean;
  per_api_key_per_minute: number;
  per_api_key_per_hour: number | null;
  delivery_per_order_per_hour: number | null;
  unauthenticated_per_minute: number | null;
}

export const planSchema = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    description: Type.String(),
    price_cents: Type.Integer({ description: 'A month, in minor units' }),
    price_display: Type.String(),
    min_monthly_volume_cents: Type.Integer(),
    max_monthly_volume_cents: nullable(Type.Integer({ description: 'null: no limit' })),
    features: Type.Unsafe<Record<string, boolean | number | null>>({
      type: 'object',
      additionalProperties: true,
      description: 'Flags and numbers by name; null: no limit',
    }),
    requires_kyc: Type.Boolean(),
    on_sale: Type.Boolean(),
    rate_limits: Type.Object({
      per_api_key_per_minute: Type.Integer(),
      per_api_key_per_hour: nullable(Type.Integer()),
      delivery_per_order_per_hour: nullable(Type.Integer()),
      unauthenticated_per_minute: nullable(Type.Integer()),
    }),
  },
  { description: 'What a merchant can subscribe to' },
);

export function toPlan(row: PlanRow): Static<typeof planSchema> {
  return {
    slug: row.slug,
    name: row.name,
    description: row.description,
    price_cents: row.price_cents,
    price_display: row.price_cents === 0 ? 'Free' : `${formatMoney(row.price_cents, row.currency)} / month`,
    min_monthly_volume_cents: row.min_monthly_volume_cents,
    max_monthly_volume_cents: row.max_monthly_volume_cents,
    features: row.features,
    requires_kyc: row.requires_kyc,
    on_sale: row.on_sale,
    rate_limits: {
      per_api_key_per_minute: row.per_api_key_per_minute,
      per_api_key_per_hour: row.per_api_key_per_hour,
      delivery_per_order_per_hour: row.delivery_per_order_per_hour,
      unauthenticated_per_minute: row.unauthenticated_per_minute,
    },
  };
}
