import type { Transaction } from '../db/database.ts';
import { endOauthConnections } from '../store/oauth-connections.ts';
import type { Parts } from './parts.ts';
import { recordAudit, recordOperatorAudit } from './record-audit.ts';

/**
 * Ends a connection because of what its client did: it gave it up (RFC 7009), or used something twice that may be used
 * once (RFC 6749, 10.5; RFC 9700, 4.14). Repeating it changes nothing.
 */
export async function endConnectionOfClient(parts: Parts, id: string): Promise<void> {
  const now = parts.clock.now();
  await parts.db.transaction(async (tx) => {
    const [ended] = await end(tx, parts, id, now);
    if (!ended) return;
    await recordAudit(tx, {
      merchant_id: ended.merchant_id,
      livemode: ended.livemode,
      actor: 'oauth_connection',
      api_key_id: null,
      user_id: ended.user_id,
      action: 'revoke_oauth_connection',
      subject_id: id,
      request_id: null,
      created_at: now,
    });
  });
}

/** The same for the operator. @returns whether it still stood. */
export function endConnectionAsOperator(parts: Parts, id: string): Promise<boolean> {
  const now = parts.clock.now();
  return parts.db.transaction(async (tx) => {
    const [ended] = await end(tx, parts, id, now);
    if (!ended) return false;
    const { merchant_id: merchantId, livemode } = ended;
    await recordOperatorAudit(tx, { merchantId, livemode, action: 'revoke_oauth_connection', subjectId: id, now });
    return true;
  });
}

function end(tx: Transaction, { authenticator }: Parts, id: string, now: Date) {
  tx.afterCommit(() => authenticator.forget());
  return endOauthConnections(tx, { id }, now);
}
