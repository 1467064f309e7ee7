import ipaddr from 'ipaddr.js';

/**
 * An address range in its plain form (RFC 4632): a single address becomes a range of one, and bits behind the prefix
 * become zero, so that what is shown is what is let in. @returns undefined when `text` is neither.
 */
export function toIpRange(text: string): string | undefined {
  const [address = '', bits, ...more] = text.trim().split('/');
  if (more.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) return undefined;
  // `10.1` and `010.0.0.1` are addresses to some programs and others to the rest.
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    const length = Number(bits ?? 32);
    return length <= 32 ? `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${length}`)}/${length}` : undefined;
  }
  if (!address.includes(':') || address.includes('%') || !ipaddr.IPv6.isValid(address)) return undefined;
  const length = Number(bits ?? 128);
  if (length > 128) return undefined;
  const parsed = ipaddr.IPv6.parse(address);
  // A caller on IPv4 is always seen with an IPv4 address (authenticate.ts), so the mapped form would let nobody in.
  if (parsed.isIPv4MappedAddress()) {
    return length >= 96 ? toIpRange(`${parsed.toIPv4Address()}/${length - 96}`) : undefined;
  }
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${length}`)}/${length}`;
}

/** Whether a peer's address lies in one of the ranges; an IPv4 peer seen over IPv6 counts as IPv4. */
export function isInRanges(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const peer = ipaddr.process(address);
  return ranges.some((range) => {
    const [network, bits] = ipaddr.parseCIDR(range);
    return network.kind() === peer.kind() && peer.match(network, bits);
  });
}

/** Whether all addresses of a range, in its plain form, lie in one of the ranges. */
export function isRangeWithin(range: string, ranges: readonly string[]): boolean {
  const [inner, innerBits] = ipaddr.parseCIDR(range);
  return ranges.some((one) => {
    const [outer, outerBits] = ipaddr.parseCIDR(one);
    return outer.kind() === inner.kind() && outerBits <= innerBits && inner.match(outer, outerBits);
  });
}
