import type { ApiKeyRow } from '../store/api-keys.ts';

/** An API key as the command line shows it; the key itself is gone after it was made. */
export function keyJson(row: ApiKeyRow) {
  return {
    object: 'api_token',
    livemode: row.livemode,
    id: row.id,
    merchant_id: row.merchant_id,
    kind: row.kind,
    name: row.name,
    prefix: row.prefix,
    last_four: row.last_four,
    permissions: row.permissions,
    ip_ranges: row.ip_ranges,
    rpm_limit: row.rpm_limit,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

/** Enough of a key to recognise it by. */
export function keyHint(row: Pick<ApiKeyRow, 'prefix' | 'last_four'>): string {
  return `${row.prefix}…${row.last_four}`;
}
