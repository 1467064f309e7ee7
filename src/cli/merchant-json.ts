import type { MerchantRow } from '../model/merchant.ts';

/** A merchant as the command line shows it: what does not depend on the mode. */
export function merchantJson(row: MerchantRow) {
  return {
    object: 'merchant',
    id: row.id,
    name: row.name,
    email: row.email,
    status: row.status,
    currency: row.currency,
    time_zone: row.time_zone,
    created_at: row.created_at.toISOString(),
  };
}
