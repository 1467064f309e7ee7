import ipaddr from 'ipaddr.js';

type V4 = ipaddr.IPv4;
type V6 = ipaddr.IPv6;

/**
 * Addresses that hand out a machine's own credentials in some cloud. They are refused even where private networks are
 * allowed; link-local ones (169.254.169.254 and fe80::/10) are covered by their range.
 */
const metadataAddresses = new Set([
  'fd00:ec2::254', // Amazon
  'fd20:ce::254', // Google
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  '168.63.129.16', // Azure: in a public range, so it needs naming in any case
]);

/** IPv6 ranges with an IPv4 address inside and the byte at which it starts; the system may connect to that address. */
const embeddings: ReadonlyArray<readonly [range: [V6, number], firstByte: number]> = [
  [ipaddr.IPv6.parseCIDR('::ffff:0:0/96'), 12],
  [ipaddr.IPv6.parseCIDR('::ffff:0:0:0/96'), 12],
  [ipaddr.IPv6.parseCIDR('::/96'), 12],
  [ipaddr.IPv6.parseCIDR('64:ff9b::/96'), 12],
  [ipaddr.IPv6.parseCIDR('64:ff9b:1::/48'), 12],
  [ipaddr.IPv6.parseCIDR('2002::/16'), 2],
] as Array<[[V6, number], number]>;

/** The only block from which public IPv6 addresses are given out (IANA). Everything else is some special use. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3') as [V6, number];

/**
 * True when nothing may be sent to this address. Public unicast addresses pass; loopback, private, link-local,
 * carrier-grade NAT, multicast, reserved and IPv4-inside-IPv6 ones do not. `allowPrivateNetworks` lets everything
 * through but link-local and metadata addresses. A text that is no address is refused.
 */
export function isRefusedAddress(text: string, allowPrivateNetworks: boolean): boolean {
  const address = parse(text);
  if (!address) return true;
  if (isNeverAllowed(address)) return true;
  return !allowPrivateNetworks && !isPublic(address);
}

function parse(text: string): V4 | V6 | undefined {
  const bare = text.replace(/%.*$/, '');
  // Only the full dotted form: ipaddr.js would read `0x7f.1` as well, and the caller may not.
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return ipaddr.IPv4.parse(bare);
  return ipaddr.IPv6.isValid(bare) ? ipaddr.IPv6.parse(bare) : undefined;
}

function isPublic(address: V4 | V6): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as V6).match(globalUnicast);
}

function isNeverAllowed(address: V4 | V6): boolean {
  const forms = [address, ...embedded(address)];
  return forms.some((form) => form.range() === 'linkLocal' || metadataAddresses.has(form.toString()));
}

function embedded(address: V4 | V6): V4[] {
  if (address.kind() === 'ipv4') return [];
  const bytes = address.toByteArray();
  return embeddings
    .filter(([range]) => (address as V6).match(range))
    .map(([, first]) => new ipaddr.IPv4(bytes.slice(first, first + 4)));
}
