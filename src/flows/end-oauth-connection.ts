import type { Handle, Transaction } from '../db/database.ts';
import { connectingRoles, type OauthConnectionRow } from '../model/oauth-connection.ts';
import { endOauthConnections, listStandingConnections } from '../store/oauth-connections.ts';
import { listMembershipsOf } from '../store/users.ts';
import type { Parts } from './parts.ts';
import { recordAudit, recordOperatorAudit, recordUserAudit } from './record-audit.ts';

/** A connection, and the name of the merchant it works for. */
export type ManagedConnection = OauthConnectionRow & { merchantName: string };

/**
 * The connections that stand and that somebody may end, newest first: all of the merchants where they may connect
 * assistants, whoever connected them, and also while the merchant is not active.
 */
export async function listManagedConnections(db: Handle, userId: string): Promise<ManagedConnection[]> {
  const places = (await listMembershipsOf(db, userId)).filter(({ role }) => connectingRoles.includes(role));
  const names = new Map(places.map(({ merchant_id, name }) => [merchant_id, name]));
  const rows = await listStandingConnections(db, [...names.keys()]);
  return rows.map((row) => ({ ...row, merchantName: names.get(row.merchant_id)! }));
}

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

/** The same for somebody on a page. @returns whether it still stood and was theirs to end. */
export function endConnectionAsUser(parts: Parts, userId: string, id: string, requestId: string): Promise<boolean> {
  const now = parts.clock.now();
  return parts.db.transaction(async (tx) => {
    const theirs = await listManagedConnections(tx, userId);
    if (!theirs.some((one) => one.id === id)) return false;
    const [ended] = await end(tx, parts, id, now);
    if (!ended) return false;
    const { merchant_id: merchantId, livemode } = ended;
    const action = 'revoke_oauth_connection';
    await recordUserAudit(tx, { merchantId, livemode, userId, action, subjectId: id, requestId, now });
    return true;
  });
}

function end(tx: Transaction, { authenticator }: Parts, id: string, now: Date) {
  tx.afterCommit(() => authenticator.forget());
  return endOauthConnections(tx, { id }, now);
}
