import { describe, expect, test } from 'vitest';
import { isRefusedAddress } from '../../src/kernel/outbound-address.ts';
import type { OutboundError } from '../../src/kernel/outbound-error.ts';
import { checkOutboundUrl } from '../../src/kernel/outbound-url.ts';

const strict = { allowPrivateNetworks: false };
const relaxed = { allowPrivateNetworks: true };

function kindOf(text: string, rules: Parameters<typeof checkOutboundUrl>[1]): string {
  try {
    checkOutboundUrl(text, rules);
    return 'accepted';
  } catch (error) {
    return (error as OutboundError).kind;
  }
}

const publicAddresses = ['1.1.1.1', '93.184.216.34', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1'];
const publicV6 = ['2606:4700:4700::1111', '2a00:1450:4001:80b::200e'];

const privateAddresses = [
  ['loopback', ['127.0.0.1', '127.255.255.254', '::1']],
  ['private', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1', 'fc00::1']],
  ['carrier-grade NAT', ['100.64.0.1', '100.127.255.255']],
  ['multicast and broadcast', ['224.0.0.1', '239.1.1.1', '255.255.255.255', 'ff02::1']],
  ['unspecified', ['0.0.0.0', '0.1.2.3', '::']],
  ['reserved and for documents', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '2001:db8::1', '3fff::1']],
  ['benchmarks', ['198.18.0.1', '198.19.255.255', '2001:2::1']],
  ['IPv4 mapped', ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8']],
  ['IPv4 compatible', ['::127.0.0.1', '::7f00:1']],
  ['NAT64', ['64:ff9b::7f00:1', '64:ff9b:1::a00:1']],
  ['6to4 and Teredo', ['2002:7f00:1::', '2002:a00:1::1', '2001:0:1::1']],
  ['site local and discard', ['fec0::1', '100::1']],
] as const;

describe('addresses', () => {
  test.each([...publicAddresses, ...publicV6])('lets the public address %s through', (address) => {
    expect(isRefusedAddress(address, false)).toBe(false);
  });

  test.each(privateAddresses)('refuses %s', (_, addresses) => {
    for (const address of addresses) expect([address, isRefusedAddress(address, false)]).toEqual([address, true]);
  });

  test('lets private addresses through where they are allowed', () => {
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', '::ffff:192.168.0.1', 'fd00::1', '100.64.0.1']) {
      expect([address, isRefusedAddress(address, true)]).toEqual([address, false]);
    }
  });

  const metadata = [
    '169.254.169.254',
    '169.254.0.1',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '100.100.100.200',
    '168.63.129.16',
  ];
  test.each(metadata)('never lets the link-local or metadata address %s through', (address) => {
    expect(isRefusedAddress(address, true)).toBe(true);
    expect(isRefusedAddress(address, false)).toBe(true);
  });

  test.each(['', 'example.com', '1.2.3', '0x7f.0.0.1', '1.2.3.4.5', ':::'])(
    'refuses %j, which is no address',
    (text) => {
      expect(isRefusedAddress(text, true)).toBe(true);
    },
  );
});

describe('URLs', () => {
  test.each([
    'https://[::ffff:127.0.0.1]/',
    'https://[::127.0.0.1]/',
    'https://[::1]/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://127.1/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'https://localhost/',
    'https://localhost./',
    'https://LOCALHOST:8080/x',
    'https://a.localhost/',
    'http://①②⑦.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://[fe80::1]/',
  ])('refuses the address in %s (case C052)', (url) => {
    expect(kindOf(url, strict)).toBe('refused_address');
  });

  test.each([
    '',
    'example.com/x',
    'ftp://h/x',
    'https:/h/x',
    'https:h/x',
    'javascript:alert(1)',
    'https://',
    'https://user:pw@h/x',
    'https://@h/x',
    'https://user@h/x',
    ' https://h/x ',
    'https://h/\nx',
    'https://h/\0x',
    'https://exa mple.com/',
    'https://h:99999/',
    `https://h.example/${'x'.repeat(5000)}`,
  ])('refuses %j (case C056)', (url) => {
    expect(kindOf(url, strict)).toBe('refused_url');
  });

  test('accepts ordinary URLs and keeps them as they are', () => {
    const text = 'https://shop.example:8443/hook?a=%3F&b=c#part';
    expect(checkOutboundUrl(text, strict).href).toBe(text);
    expect(kindOf('http://shop.example/', strict)).toBe('accepted');
    expect(kindOf('http://shop.example/', { ...strict, httpsOnly: true })).toBe('refused_url');
    expect(kindOf('https://shop.example/a@b', strict)).toBe('accepted');
  });

  test('allows private hosts by switch, but never metadata', () => {
    for (const url of ['http://localhost:3000/', 'http://127.0.0.1/', 'http://[::1]:80/', 'http://10.0.0.1/']) {
      expect(kindOf(url, relaxed)).toBe('accepted');
    }
    expect(kindOf('http://169.254.169.254/', relaxed)).toBe('refused_address');
    expect(kindOf('http://[fd00:ec2::254]/', relaxed)).toBe('refused_address');
  });
});
