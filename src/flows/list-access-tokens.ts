import { signAccessToken } from '../entitlements/access-token.ts';
import type { CheckoutAccess } from '../model/checkout-view.ts';
import type { OrderRow } from '../model/order.ts';
import { scopeOf } from '../model/scope.ts';
import { listAccessGrants } from '../store/access-grants.ts';
import type { Parts } from './parts.ts';

/** The access tokens of a paid order, one for each line that opens something. They are signed anew, never stored. */
export async function listAccessTokens(parts: Parts, order: OrderRow): Promise<CheckoutAccess[]> {
  const grants = await listAccessGrants(parts.db, order.id);
  if (grants.length === 0 || order.status === 'refunded') return [];
  const key = await parts.accessKeys.require(scopeOf(order));
  return grants.map(({ id, product_id, duration_seconds, expires_at }) => ({
    order_item_id: id,
    product_id,
    access_token: signAccessToken({ orderId: order.id, productId: product_id, expiresAt: expires_at }, key),
    access_duration_seconds: duration_seconds,
  }));
}
