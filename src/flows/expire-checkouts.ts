import { recordEvents } from '../events/outbox.ts';
import { toCheckoutSession } from '../model/checkout-session.ts';
import { scopeOf } from '../model/scope.ts';
import { listEndingCheckoutSessions, markCheckoutExpiredTold } from '../store/checkout-sessions.ts';
import { findMerchant } from '../store/merchants.ts';
import type { Parts } from './parts.ts';

const mostAtOnce = 100;

/**
 * Tells of sessions that ended unpaid, each once. One with an open invoice waits until the wallet has been asked past
 * the end: while it cannot be, nobody knows that it was not paid. @returns how many were told of.
 */
export async function expireCheckouts(parts: Parts): Promise<number> {
  const ids = await listEndingCheckoutSessions(parts.db, parts.clock.now(), mostAtOnce);
  for (const id of ids) {
    await parts.db.transaction(async (tx) => {
      const now = parts.clock.now();
      const session = await markCheckoutExpiredTold(tx, id, now);
      if (!session) return;
      const merchant = (await findMerchant(tx, session.merchant_id))!;
      const context = { payUrl: parts.links.payUrl, privapaidEnabled: merchant.privapaid_enabled, now };
      const scope = scopeOf(session);
      const data = toCheckoutSession(session, context);
      await recordEvents(tx, scope, [{ kind: 'checkout.expired', subjectId: id, data }], now);
    });
  }
  return ids.length;
}
