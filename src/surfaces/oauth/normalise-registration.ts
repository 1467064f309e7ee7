import { OauthError } from './oauth-error.ts';
import { isAppLoopback } from './redirect-target.ts';

const ourGrants = ['authorization_code', 'refresh_token'];
const mostRedirects = 20;
const longestRedirect = 2000;
const longestName = 200;

/** Schemes that run something or read files instead of leading to an app. */
const dangerousSchemes =
  /^(javascript|vbscript|data|blob|file|filesystem|about|view-source|ws|wss|ftp|mailto|tel|sms|intent|chrome|jar):$/;

/**
 * A registration as oidc-provider takes it, from what real clients send: grants that are not ours, nulls and empty texts,
 * addresses of apps that call themselves web pages. What is not used here is ignored (RFC 7591, 2): pictures and pages
 * that nobody is shown, and scopes too, because every client may ask for every one, and a person decides. None of it makes
 * us call anybody.
 * @throws {OauthError} for what no client should send.
 */
export function normaliseRegistration(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new OauthError(400, 'invalid_client_metadata', 'The body must be a JSON object');
  }
  const sent = body as Record<string, unknown>;
  const redirects = readRedirects(sent.redirect_uris);
  return {
    client_name: (typeof sent.client_name === 'string' && readName(sent.client_name)) || undefined,
    redirect_uris: redirects,
    // Apps and programs on the person's own machine get any port of the loopback (RFC 8252, 7.3).
    application_type: redirects.every((uri) => uri.startsWith('https:')) ? 'web' : 'native',
    response_types: ['code'],
    grant_types: ourGrants,
    // Said aloud: left out it would mean a secret (RFC 7591, 2), which public clients don't expect.
    token_endpoint_auth_method: sent.token_endpoint_auth_method || 'none',
  };
}

/** As it will be shown to a person: without what cannot be seen or turns the direction of the text around. */
function readName(name: string): string {
  return name.replace(/\p{C}/gu, ' ').replace(/\s+/g, ' ').trim().slice(0, longestName);
}

function readRedirects(value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > mostRedirects) {
    throw invalidRedirect(`redirect_uris must list 1 to ${mostRedirects} addresses`);
  }
  return [...new Set(value.map(readRedirect))];
}

/** Parsers drop blanks and add missing slashes; a browser that we send to `https:client.example` stays on our pages. */
const isSpelledOut = (text: string) => !/\s|^https?:(?!\/\/)/i.test(text);

function readRedirect(value: unknown): string {
  const text = typeof value === 'string' && value.length <= longestRedirect ? value : '';
  if (!URL.canParse(text) || !isSpelledOut(text)) throw invalidRedirect('redirect_uris must be absolute addresses');
  const url = new URL(text);
  if (text.includes('#')) throw invalidRedirect('redirect_uris must have no fragment');
  if (url.username || url.password) throw invalidRedirect('redirect_uris must have no user name or password');
  if (dangerousSchemes.test(url.protocol)) throw invalidRedirect(`redirect_uris must not use ${url.protocol}`);
  if (url.protocol === 'http:' && !isAppLoopback(url.hostname)) {
    throw invalidRedirect('redirect_uris must use https:, except on this computer (localhost, 127.0.0.1, [::1])');
  }
  return text;
}

function invalidRedirect(description: string): OauthError {
  return new OauthError(400, 'invalid_redirect_uri', description);
}
