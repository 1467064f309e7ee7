/** Where a client's answers go, as a person can judge it. */
export type RedirectTarget =
  | { readonly kind: 'host'; readonly name: string }
  /** A program that listens on the person's own machine. */
  | { readonly kind: 'local'; readonly name: string }
  /** An app that owns a scheme, such as `cursor:`. Any app may claim any scheme. */
  | { readonly kind: 'app'; readonly name: string };

/** Fewer than all of 127.0.0.0/8: oidc-provider gives only to these any port. */
const loopbacks = ['localhost', '127.0.0.1', '[::1]'];

export const isAppLoopback = (hostname: string): boolean => loopbacks.includes(hostname);

/** @param redirectUri of a registered client: an absolute address. */
export function targetOf(redirectUri: string): RedirectTarget {
  const { protocol, hostname } = new URL(redirectUri);
  if (protocol === 'https:' || protocol === 'http:') {
    return { kind: isAppLoopback(hostname) ? 'local' : 'host', name: hostname };
  }
  return { kind: 'app', name: hostname === '' ? protocol : `${protocol}//${hostname}` };
}
