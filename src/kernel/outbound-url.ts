import { isIP } from 'node:net';
import { isRefusedAddress } from './outbound-address.ts';
import { OutboundError, refusedAddress } from './outbound-error.ts';

interface OutboundUrlRules {
  readonly allowPrivateNetworks: boolean;
  /** Refuse plain http as well. */
  readonly httpsOnly?: boolean;
  /** Characters; default 2,048, the limit for URLs that are saved. */
  readonly maximumLength?: number;
}

/**
 * Checks a URL without asking DNS, for saving it and before each use; returns it parsed or throws `refused_url` or
 * `refused_address`. The parser turns odd spellings of an address (0x7f000001, 2130706433, 127.1) into the usual one
 * first. Where a name leads is checked again whenever a connection is opened.
 */
export function checkOutboundUrl(text: string, rules: OutboundUrlRules): URL {
  const { maximumLength = 2048 } = rules;
  if (text.length > maximumLength) {
    throw new OutboundError('refused_url', `The URL is longer than ${maximumLength} characters.`);
  }
  const authority = /^https?:\/\/([^/?#\\]+)/i.exec(text)?.[1];
  // Blanks and control characters go before the URL parser, which would drop some of them in silence.
  if (!authority || /[\s\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    throw new OutboundError('refused_url', 'The URL must be absolute and start with http:// or https://.');
  }
  if (authority.includes('@')) {
    throw new OutboundError('refused_url', 'The URL must not contain a user name or password.');
  }
  const url = new URL(text);
  if (rules.httpsOnly && url.protocol !== 'https:') {
    throw new OutboundError('refused_url', 'The URL must start with https://.');
  }
  if (isRefusedHost(url.hostname, rules.allowPrivateNetworks)) throw refusedAddress();
  return url;
}

function isRefusedHost(hostname: string, allowPrivateNetworks: boolean): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare)) return isRefusedAddress(bare, allowPrivateNetworks);
  const name = bare.replace(/\.+$/, '');
  if (name === '') return true;
  return !allowPrivateNetworks && (name === 'localhost' || name.endsWith('.localhost'));
}
