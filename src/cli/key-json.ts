import { toApiToken } from '../model/api-token.ts';
import type { ApiKeyRow } from '../store/api-keys.ts';

/** An API key as the interface shows it, and its owner. */
export function keyJson(row: ApiKeyRow) {
  return { ...toApiToken(row), merchant_id: row.merchant_id };
}

/** Enough of a key to recognise it by. */
export function keyHint(row: Pick<ApiKeyRow, 'prefix' | 'last_four'>): string {
  return `${row.prefix}…${row.last_four}`;
}
