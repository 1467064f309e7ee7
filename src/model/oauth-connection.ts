import { type Static, Type } from 'typebox';
import { type OauthScope, oauthScopes, type Permission } from '../kernel/context.ts';
import { livemode, nullable, objectName, oneOf, timestamp, uuid } from './fields.ts';
import type { Role } from './user.ts';

/** What each scope opens of the permissions that keys have; operations can ask for a scope by name besides. */
export const permissionsOfScope: Readonly<Record<OauthScope, readonly Permission[]>> = {
  catalog: ['catalog:read', 'catalog:write'],
  payment_links: [],
};

/** Who may connect an assistant: those who may do themselves all that it then may. */
export const connectingRoles: readonly Role[] = ['owner', 'manager'];

/** The words of a scope that we know, each once; everything else is left out. */
export function readScopes(text: string | undefined | null): OauthScope[] {
  const words = new Set((text ?? '').split(' '));
  return oauthScopes.filter((scope) => words.has(scope));
}

/** What tokens are made for (RFC 8707) and metadata tells of (RFC 9728): the MCP endpoint, which REST goes along with. */
export const protectedResource = (publicUrl: string): string => `${publicUrl}/api/v1/mcp`;

/** Authorizations that nobody finished. */
export const interactionSeconds = 3600;
export const codeSeconds = 60;
/** A working day: some assistants ask a person again instead of refreshing. Revoking counts at once all the same. */
export const accessTokenSeconds = 8 * 3600;
/** From its last refresh. A connection that rests for so long has ended, as a device's key has. */
export const refreshTokenSeconds = 30 * 24 * 3600;
/** How long a refresh token that was replaced still works: real clients refresh twice at once, or lose an answer. */
export const refreshLeewaySeconds = 120;
/** Clients that nobody connected, and connections that have ended, are kept for so long. */
export const unusedClientSeconds = 24 * 3600;
export const endedConnectionSeconds = 90 * 24 * 3600;

export interface OauthConnectionRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  user_id: string;
  client_id: string;
  client_name: string;
  redirect_host: string;
  scopes: OauthScope[];
  last_used_at: Date | null;
  revoked_at: Date | null;
  created_at: Date;
}

export const oauthConnectionSchema = Type.Object(
  {
    object: objectName('oauth_connection'),
    livemode,
    id: uuid('OAuth connection'),
    client_name: Type.String({ description: 'What the assistant calls itself; nobody has checked it' }),
    redirect_host: Type.String({ description: 'Where its answers go: a host, or the scheme of an app' }),
    scopes: Type.Array(oneOf(oauthScopes), { description: 'What it may do' }),
    user_id: uuid('Who connected it'),
    last_used_at: nullable(timestamp('Last request')),
    revoked_at: nullable(timestamp('When it ended')),
    created_at: timestamp('When it was connected'),
  },
  { description: 'An assistant that may work with catalog and payment links' },
);

export function toOauthConnection(row: OauthConnectionRow): Static<typeof oauthConnectionSchema> {
  return {
    object: 'oauth_connection',
    livemode: row.livemode,
    id: row.id,
    client_name: row.client_name,
    redirect_host: row.redirect_host,
    scopes: row.scopes,
    user_id: row.user_id,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
