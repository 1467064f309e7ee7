import { oauthScopes } from '../../kernel/context.ts';
import { protectedResource } from '../../model/oauth-connection.ts';

export const authorizePath = '/oauth/authorize';
export const tokenPath = '/oauth/token';
export const registerPath = '/oauth/register';
export const revokePath = '/oauth/revoke';

/** How the answer comes to the client's address. */
export const responseMode = 'query';
/** Ways for a client to say who it is; `none` is that of programs that cannot keep a secret. */
export const clientAuthMethods = ['none', 'client_secret_post', 'client_secret_basic'] as const;

/** What the MCP endpoint is, and who gives tokens for it (RFC 9728). All addresses come from configuration. */
export function resourceMetadata(publicUrl: string) {
  return {
    resource: protectedResource(publicUrl),
    // The very string that is the issuer: clients compare them.
    authorization_servers: [publicUrl],
    scopes_supported: [...oauthScopes],
    bearer_methods_supported: ['header'],
    resource_name: 'Satline',
  };
}

/** What the authorization server can do (RFC 8414). */
export function serverMetadata(publicUrl: string) {
  return {
    issuer: publicUrl,
    authorization_endpoint: publicUrl + authorizePath,
    token_endpoint: publicUrl + tokenPath,
    registration_endpoint: publicUrl + registerPath,
    revocation_endpoint: publicUrl + revokePath,
    scopes_supported: [...oauthScopes],
    response_types_supported: ['code'],
    response_modes_supported: [responseMode],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: [...clientAuthMethods],
    revocation_endpoint_auth_methods_supported: [...clientAuthMethods],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}
