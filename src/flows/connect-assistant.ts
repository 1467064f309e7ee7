import type { OauthScope } from '../kernel/context.ts';
import { AppError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { connectingRoles } from '../model/oauth-connection.ts';
import type { Membership } from '../model/user.ts';
import { endOauthConnections, insertOauthConnection } from '../store/oauth-connections.ts';
import { isSessionOpen } from '../store/user-sessions.ts';
import { listMembershipsOf, lockUser } from '../store/users.ts';
import type { Parts } from './parts.ts';
import { recordUserAudit } from './record-audit.ts';

/** The merchants that somebody may connect an assistant to. */
export async function listConnectable({ db }: Parts, userId: string): Promise<Membership[]> {
  return (await listMembershipsOf(db, userId)).filter(mayConnect);
}

function mayConnect({ role, status }: Membership): boolean {
  return connectingRoles.includes(role) && status === 'active';
}

interface NewConnection {
  userId: string;
  /** The sign-in with which they agreed. */
  sessionId: string;
  merchantId: string;
  livemode: boolean;
  client: { id: string; name: string; redirectHost: string };
  scopes: readonly OauthScope[];
  requestId: string;
}

/**
 * Lets an assistant work for a merchant, as somebody agreed. What the same person connected the same client to before, for
 * the same merchant and mode, ends: whoever connects anew has lost the old tokens.
 * @returns the connection's id. @throws {AppError} 401 when the sign-in has ended, 403 where this person may not.
 */
export async function connectAssistant(parts: Parts, request: NewConnection): Promise<string> {
  const { userId, sessionId, merchantId, livemode, client, scopes, requestId } = request;
  const now = parts.clock.now();
  return parts.db.transaction(async (tx) => {
    await lockUser(tx, userId);
    if (!(await isSessionOpen(tx, sessionId, now))) {
      throw new AppError('invalid_token', 'You were signed out meanwhile; sign in again');
    }
    const places = await listMembershipsOf(tx, userId);
    if (!places.some((place) => place.merchant_id === merchantId && mayConnect(place))) {
      throw new AppError('forbidden', 'Only an owner or a manager of an active merchant can connect an assistant');
    }
    const earlier = await endOauthConnections(tx, { userId, merchantId, clientId: client.id, livemode }, now);
    const id = newId();
    await insertOauthConnection(tx, {
      id,
      merchant_id: merchantId,
      livemode,
      user_id: userId,
      client_id: client.id,
      client_name: client.name,
      redirect_host: client.redirectHost,
      scopes: [...scopes],
      created_at: now,
    });
    const entry = { merchantId, livemode, userId, requestId, now };
    for (const { id: subjectId } of earlier) {
      await recordUserAudit(tx, { ...entry, action: 'revoke_oauth_connection', subjectId });
    }
    await recordUserAudit(tx, { ...entry, action: 'create_oauth_connection', subjectId: id });
    tx.afterCommit(() => parts.authenticator.forget());
    return id;
  });
}
