import { randomBytes } from 'node:crypto';
import { isPlainOrigin } from '../../kernel/web-address.ts';

export interface PageHeaderOptions {
  /** From `newNonce()`, the one the page was rendered with. */
  nonce: string;
  /** Origins that may show the page in a frame, exactly as the merchant listed them; nobody when left out. */
  frameOrigins?: readonly string[] | undefined;
  /**
   * Where a form of the page may end beside our own host, since browsers also check redirects: origins, or `app:`. `any`
   * where the first of them leads on to places that we cannot know.
   */
  formOrigins?: readonly string[] | 'any' | undefined;
}

const appSchemeShape = /^(?!(https?|data|javascript|blob|filesystem):)[a-z][a-z0-9+.-]*:$/;

/** A value for one answer's script and style elements; 128 random bits. */
export function newNonce(): string {
  return randomBytes(16).toString('base64');
}

/**
 * Headers of every page for people. Nothing loads from other hosts but pictures, no script runs without the nonce, no page
 * is kept, and no address of ours is told to others. There is no X-Frame-Options, because it cannot list origins.
 */
export function pageHeaders(options: PageHeaderOptions): Record<string, string> {
  const { nonce } = options;
  // Whatever is no plain origin could end the directive and begin another.
  const frames = (options.frameOrigins ?? []).filter(isPlainOrigin);
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      "connect-src 'self'",
      "img-src 'self' data: https:",
      ...formAction(options.formOrigins),
      "base-uri 'none'",
      `frame-ancestors ${frames.length > 0 ? frames.join(' ') : "'none'"}`,
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=()',
    'cache-control': 'no-store',
  };
}

function formAction(ends: PageHeaderOptions['formOrigins'] = []): string[] {
  if (ends === 'any') return [];
  const named = ends.filter((end) => isPlainOrigin(end) || appSchemeShape.test(end));
  return [`form-action ${["'self'", ...named].join(' ')}`];
}
