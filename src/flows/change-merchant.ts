import type { Handle } from '../db/database.ts';
import { isHexColour } from '../kernel/colour.ts';
import { parseCurrency } from '../kernel/currency.ts';
import { parseDecimal } from '../kernel/decimal.ts';
import { invalid } from '../kernel/errors.ts';
import { parseTimeZone } from '../kernel/time-zone.ts';
import { isPlainOrigin, isWebAddress } from '../kernel/web-address.ts';
import type { MerchantRow } from '../model/merchant.ts';
import { renameChannelsMerchant } from '../store/channels.ts';
import { lockMerchant, updateMerchant } from '../store/merchants.ts';

type MerchantChange = {
  [Member in Exclude<keyof MerchantRow, 'id' | 'status' | 'created_at' | 'updated_at'>]?:
    | MerchantRow[Member]
    | undefined;
};

/** Applies the settings that were given; the rest stays. @throws {AppError} 422 naming each setting that is wrong. */
export async function changeMerchant(
  tx: Handle,
  merchantId: string,
  change: MerchantChange,
  now: Date,
): Promise<{ before: MerchantRow; after: MerchantRow }> {
  const faults = faultsOf(change);
  if (faults.length > 0) throw invalid(...faults);
  const before = (await lockMerchant(tx, merchantId))!;
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const after: MerchantRow = {
    ...before,
    ...given,
    time_zone: parseTimeZone(change.time_zone) ?? before.time_zone,
    currency: parseCurrency(change.currency) ?? before.currency,
    allowed_origins: change.allowed_origins?.map((origin) => new URL(origin).origin) ?? before.allowed_origins,
    updated_at: now,
  };
  await updateMerchant(tx, after);
  if (after.name !== before.name) await renameChannelsMerchant(tx, merchantId, after.name);
  return { before, after };
}

function faultsOf(change: MerchantChange): string[] {
  const faults: string[] = [];
  if (change.time_zone !== undefined && parseTimeZone(change.time_zone) === undefined) {
    faults.push('time_zone must be an IANA time zone, such as Europe/Berlin');
  }
  if (change.checkout_accent_color !== undefined && !isHexColour(change.checkout_accent_color)) {
    faults.push('checkout_accent_color must be a colour as #rrggbb');
  }
  if (change.logo_url && !isWebAddress(change.logo_url)) faults.push('logo_url must be an http(s) address');
  if (change.conversion_fee_percent !== undefined && !isFee(change.conversion_fee_percent)) {
    faults.push('conversion_fee_percent must be a decimal from 0 to 100 with at most 4 decimals, such as "1.5"');
  }
  for (const [index, origin] of (change.allowed_origins ?? []).entries()) {
    if (!isOrigin(origin)) faults.push(`allowed_origins[${index}] must be an origin, such as https://shop.example.com`);
  }
  return faults;
}

function isOrigin(text: string): boolean {
  if (!isWebAddress(text)) return false;
  const url = new URL(text);
  return url.pathname === '/' && !url.search && !url.hash && !url.username && isPlainOrigin(url.origin);
}

function isFee(text: string): boolean {
  return /^\d{1,3}(\.\d{1,4})?$/.test(text) && parseDecimal(text) !== undefined && Number(text) <= 100;
}
