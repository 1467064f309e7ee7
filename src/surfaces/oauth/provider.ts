import { createPrivateKey } from 'node:crypto';
import type { AdapterFactory, Configuration, ErrorOut, errors, JWK, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { createOauthAdapter } from '../../auth/oauth-adapter.ts';
import { endConnectionOfClient } from '../../flows/end-oauth-connection.ts';
import type { Parts } from '../../flows/parts.ts';
import { oauthScopes } from '../../kernel/context.ts';
import {
  accessTokenSeconds,
  codeSeconds,
  interactionSeconds,
  protectedResource,
  refreshTokenSeconds,
} from '../../model/oauth-connection.ts';
import { interactionCookie, resumeCookie, sessionCookie } from './cookie-names.ts';
import { authorizePath, clientAuthMethods, registerPath, revokePath, tokenPath } from './metadata.ts';

export const interactionPath = '/oauth/interaction';
/** A connection's own end is what counts; oidc-provider wants a number. */
const grantSeconds = 20 * 365 * 24 * 3600;

/** What a page says when an authorization request is wrong in a way that must not be told to where it points. */
type ShowError = (ctx: KoaContextWithOIDC, error: ErrorOut) => void;

/**
 * The authorization server, read and built when somebody first needs it: it is a second of start and 30 MB that most
 * installations never use.
 */
export function lazyProvider(parts: Parts, showError: ShowError): () => Promise<Provider> {
  let opened: { publicUrl: string; provider: Promise<Provider> } | undefined;
  return () => {
    const { publicUrl } = parts.links;
    // With PORT=0 the address is known only once the server listens.
    if (opened?.publicUrl !== publicUrl) {
      const provider = openProvider(parts, publicUrl, showError);
      opened = { publicUrl, provider };
      provider.catch(() => {
        opened = undefined;
      });
    }
    return opened.provider;
  };
}

async function openProvider(parts: Parts, publicUrl: string, showError: ShowError): Promise<Provider> {
  const { Provider, errors } = await import('oidc-provider');
  const provider = new Provider(publicUrl, providerSettings(parts, publicUrl, showError, errors));
  provider.proxy = true;
  tellLog(provider, parts);
  return provider;
}

function providerSettings(
  parts: Parts,
  publicUrl: string,
  showError: ShowError,
  { InvalidGrant, InvalidTarget }: typeof errors,
): Configuration {
  const { db, clock, sealer } = parts;
  const resource = protectedResource(publicUrl);
  const adapter = createOauthAdapter({
    db,
    clock,
    sealer,
    endConnection: (id) => endConnectionOfClient(parts, id),
    alreadyUsed: () => new InvalidGrant('authorization code already consumed'),
  });
  const cookie = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  return {
    adapter: adapter as AdapterFactory,
    clientAuthMethods: [...clientAuthMethods],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'EdDSA',
    },
    cookies: {
      names: { session: sessionCookie, interaction: interactionCookie, resume: resumeCookie },
      short: cookie,
      long: cookie,
      keys: [sealer.deriveKey('oauth cookies').toString('base64url')],
    },
    enabledJWA: { idTokenSigningAlgValues: ['EdDSA'] },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      registration: { enabled: true, idFactory: () => `client_${crypto.randomUUID()}` },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo(_ctx, asked) {
          if (asked !== resource) throw new InvalidTarget('there is no such resource here');
          return { scope: oauthScopes.join(' '), audience: resource, accessTokenFormat: 'opaque' };
        },
      },
    },
    // No client may make us call an address of its choice.
    fetch: () => Promise.reject(new Error('The authorization server calls nobody')),
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_ctx, { uid }) => `${interactionPath}/${uid}` },
    jwks: { keys: [signingKey(sealer.deriveKey('oauth signing'))] },
    // Only what was agreed to in this very request: the merchant is chosen anew each time.
    loadExistingGrant: async ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : oidc.provider.Grant.find(grantId);
    },
    expiresWithSession: () => false,
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    revokeGrantPolicy: () => true,
    pkce: { required: () => true },
    renderError: (ctx, out) => showError(ctx, out),
    responseTypes: ['code'],
    routes: {
      authorization: authorizePath,
      token: tokenPath,
      registration: registerPath,
      revocation: revokePath,
    },
    scopes: [],
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: codeSeconds,
      Grant: grantSeconds,
      Interaction: interactionSeconds,
      RefreshToken: refreshTokenSeconds,
      Session: codeSeconds,
    },
  };
}

/** Ed25519 from 32 bytes (RFC 8410), the same in every process. We issue nothing that it signs; a key must be there. */
function signingKey(seed: Buffer): JWK {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return { ...key.export({ format: 'jwk' }), alg: 'EdDSA', use: 'sig' } as JWK;
}

/** Why a client was refused, for the operator who is asked about it. Reasons name no tokens. */
function tellLog(provider: Provider, { log }: Parts): void {
  const tell = (what: string) => (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError) => {
    const { message, error_description: description, error_detail: detail } = error;
    log.info({ oauth: what, client: ctx.oidc?.client?.clientId, error: message, description, detail }, 'OAuth refused');
  };
  provider.on('authorization.error', tell('authorize'));
  provider.on('grant.error', tell('token'));
  provider.on('registration_create.error', tell('register'));
  provider.on('revocation.error', tell('revoke'));
  provider.on('server_error', (_ctx, error) => log.error({ err: error }, 'OAuth request failed'));
}
