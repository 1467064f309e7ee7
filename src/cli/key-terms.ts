import { InvalidArgumentError } from 'commander';
import ipaddr from 'ipaddr.js';
import type { Permission } from '../kernel/context.ts';
import { permissions } from '../model/api-token.ts';

/** Reads `orders:read,orders:write`. */
export function readPermissions(text: string): Permission[] {
  return listed(text).map((word) => {
    const permission = permissions.find((known) => known === word);
    if (permission) return permission;
    throw new InvalidArgumentError(`${JSON.stringify(word)} is none of ${permissions.join(', ')}.`);
  });
}

/**
 * Reads `10.0.0.0/8,2001:db8::1`. A single address becomes a range of one, and bits behind the prefix become zero, so that
 * the list shows what is really let in.
 */
export function readIpRanges(text: string): string[] {
  return listed(text).map((word) => {
    const range = rangeOf(word);
    if (range !== undefined) return range;
    throw new InvalidArgumentError(
      `${JSON.stringify(word)} is no address or range, such as 10.0.0.0/8 or 2001:db8::/32.`,
    );
  });
}

function listed(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  return [...new Set(words)].filter((word, index) => word !== '' || index === 0);
}

function rangeOf(text: string): string | undefined {
  const [address = '', bits, ...more] = text.split('/');
  if (more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return undefined;
  // `10.1` and `010.0.0.1` are addresses to some programs and others to the rest.
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    const range = `${address}/${bits ?? 32}`;
    return Number(bits ?? 32) <= 32 ? `${ipaddr.IPv4.networkAddressFromCIDR(range)}/${Number(bits ?? 32)}` : undefined;
  }
  if (!address.includes(':') || address.includes('%') || !ipaddr.IPv6.isValid(address)) return undefined;
  const length = Number(bits ?? 128);
  if (length > 128) return undefined;
  const parsed = ipaddr.IPv6.parse(address);
  // A caller on IPv4 is always seen with an IPv4 address (auth/authenticate.ts), so the mapped form would let nobody in.
  if (parsed.isIPv4MappedAddress()) {
    return length >= 96 ? rangeOf(`${parsed.toIPv4Address()}/${length - 96}`) : undefined;
  }
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${length}`)}/${length}`;
}
