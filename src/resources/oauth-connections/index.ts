import { getOauthConnection } from './get-oauth-connection.ts';
import { listOauthConnections } from './list-oauth-connections.ts';
import { revokeOauthConnection } from './revoke-oauth-connection.ts';

export const oauthConnectionOperations = [listOauthConnections, getOauthConnection, revokeOauthConnection];
