import { type Static, Type } from 'typebox';
import { type ChannelRow, channelSchema, toChannel } from './channel.ts';
import { currencyCode, livemode, nullable, objectName, oneOf, timestamp, uuid } from './fields.ts';
import { trimmedPercent } from './percent.ts';
import { type ShownTax, taxSchema, toTax } from './tax.ts';
import { type ShownWallet, toWallet, walletSchema } from './wallet.ts';

const merchantStatuses = ['pending', 'active', 'suspended'] as const;
export type MerchantStatus = (typeof merchantStatuses)[number];

export interface MerchantRow {
  id: string;
  name: string;
  email: string | null;
  phone: string | null;
  business_license: string | null;
  status: MerchantStatus;
  time_zone: string;
  currency: string;
  logo_url: string | null;
  tip_options: unknown[];
  pos_theme: string;
  pos_enabled: boolean;
  privapaid_enabled: boolean;
  checkout_theme: string;
  checkout_accent_color: string;
  allowed_origins: string[];
  conversion_fee_percent: string;
  created_at: Date;
  updated_at: Date;
}

export const merchantSchema = Type.Object(
  {
    object: objectName('merchant'),
    livemode,
    id: uuid('Merchant'),
    name: Type.String(),
    email: nullable(Type.String()),
    phone: nullable(Type.String()),
    business_license: nullable(Type.String()),
    status: oneOf(merchantStatuses),
    time_zone: Type.String({ description: 'IANA time zone' }),
    currency: currencyCode,
    logo_url: nullable(Type.String()),
    tip_options: Type.Array(Type.Unknown()),
    pos_theme: Type.String(),
    pos_enabled: Type.Boolean(),
    privapaid_enabled: Type.Boolean({ description: 'Whether paid-access tokens are verified for the public' }),
    checkout_theme: Type.String(),
    checkout_accent_color: Type.String(),
    allowed_origins: Type.Array(Type.String()),
    conversion_fee_percent: Type.String({ description: 'Added to bitcoin prices, in percent, a decimal string' }),
    channels: Type.Array(channelSchema),
    wallets: Type.Array(walletSchema),
    taxes: Type.Array(taxSchema),
    created_at: timestamp('When the merchant was made'),
    updated_at: timestamp('When the merchant was last changed'),
  },
  { description: 'A merchant' },
);
export type Merchant = Static<typeof merchantSchema>;

/** @param mode the caller's, which all that stands beside the merchant is of. */
export function toMerchant(
  row: MerchantRow,
  mode: boolean,
  beside: {
    readonly wallets: readonly ShownWallet[];
    readonly taxes: readonly ShownTax[];
    readonly channels: readonly ChannelRow[];
  },
): Merchant {
  return {
    object: 'merchant',
    livemode: mode,
    id: row.id,
    name: row.name,
    email: row.email,
    phone: row.phone,
    business_license: row.business_license,
    status: row.status,
    time_zone: row.time_zone,
    currency: row.currency,
    logo_url: row.logo_url,
    tip_options: row.tip_options,
    pos_theme: row.pos_theme,
    pos_enabled: row.pos_enabled,
    privapaid_enabled: row.privapaid_enabled,
    checkout_theme: row.checkout_theme,
    checkout_accent_color: row.checkout_accent_color,
    allowed_origins: row.allowed_origins,
    conversion_fee_percent: trimmedPercent(row.conversion_fee_percent),
    channels: beside.channels.map((channel) => toChannel({ ...channel, merchant_name: row.name })),
    wallets: beside.wallets.map(toWallet),
    taxes: beside.taxes.map(toTax),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
