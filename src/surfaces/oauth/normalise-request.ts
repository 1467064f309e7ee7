import { oauthScopes } from '../../kernel/context.ts';
import { protectedResource, readScopes } from '../../model/oauth-connection.ts';
import { responseMode } from './metadata.ts';

/**
 * Parameters that clients of sign-in services add (OpenID Connect). We sign nobody in to other services, and
 * oidc-provider would refuse them without the scope `openid`.
 */
const notOurs = [
  'nonce',
  'claims',
  'max_age',
  'acr_values',
  'id_token_hint',
  'login_hint',
  'claims_locales',
  'display',
];

/** An authorization request as oidc-provider takes it. */
export function normaliseAuthorization(query: URLSearchParams, publicUrl: string): URLSearchParams {
  const request = withCanonicalResource(query, publicUrl);
  for (const name of notOurs) request.delete(name);
  // Consent is asked for every time; only `none` says something else.
  if (request.get('prompt') !== 'none') request.delete('prompt');
  // What oidc-provider would answer as well, a form for one, it refuses under a name that it does not know.
  if (request.getAll('response_mode').some((mode) => mode !== '' && mode !== responseMode))
    request.set('response_mode', 'unknown');
  const scopes = readScopes(request.getAll('scope').join(' '));
  request.set('scope', (scopes.length > 0 ? scopes : oauthScopes).join(' '));
  return request;
}

/** A token request as oidc-provider takes it. */
export function normaliseTokenRequest(body: URLSearchParams, publicUrl: string): URLSearchParams {
  const request = withCanonicalResource(body, publicUrl);
  if (request.has('scope')) {
    const scopes = readScopes(request.getAll('scope').join(' '));
    if (scopes.length > 0) request.set('scope', scopes.join(' '));
    else request.delete('scope');
  }
  return request;
}

/** Clients name the resource with a slash at the end, or only its host; they mean the one that there is (RFC 8707). */
function withCanonicalResource(sent: URLSearchParams, publicUrl: string): URLSearchParams {
  const request = new URLSearchParams(sent);
  const ours = protectedResource(publicUrl);
  const same = new Set([ours, `${ours}/`, publicUrl, `${publicUrl}/`]);
  const named = [...new Set(request.getAll('resource').map((resource) => (same.has(resource) ? ours : resource)))];
  request.delete('resource');
  for (const resource of named) request.append('resource', resource);
  return request;
}
