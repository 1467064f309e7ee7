import { describe, expect, test } from 'vitest';
import { WalletFault } from '../../src/lightning/connector.ts';
import { parseLightningAddress, payRequestUrl } from '../../src/lightning/lnurl-address.ts';

function urlOf(typed: string, allowHttp = false): string {
  return payRequestUrl(parseLightningAddress(typed), allowHttp);
}

describe('lightning addresses (LUD-16)', () => {
  test.each([
    ['satoshi@example.com', 'https://example.com/.well-known/lnurlp/satoshi'],
    ['Satoshi@Example.COM', 'https://example.com/.well-known/lnurlp/satoshi'],
    ['  lightning:a.b-c_d+tips@pay.example.co.uk ', 'https://pay.example.co.uk/.well-known/lnurlp/a.b-c_d+tips'],
    ['bob@example.com:8443', 'https://example.com:8443/.well-known/lnurlp/bob'],
    ['bob@xn--bcher-kva.example', 'https://xn--bcher-kva.example/.well-known/lnurlp/bob'],
    ['bob@abcdef.onion', 'http://abcdef.onion/.well-known/lnurlp/bob'],
    ['Caf%C3%A9@Example.com', 'https://example.com/.well-known/lnurlp/caf%C3%A9'],
    ['bob%2Btips@example.com', 'https://example.com/.well-known/lnurlp/bob%2Btips'],
  ])('%s is looked up at %s (case C016)', (typed, url) => {
    expect(urlOf(typed)).toBe(url);
    expect(new URL(url).href).toBe(url);
  });

  test.each([
    '',
    'bob',
    '@example.com',
    'bob@',
    'bob@@example.com',
    'bob@evil.example@example.com',
    'bob/../x@example.com',
    '..@example.com',
    '.@example.com',
    '%2e%2e@example.com',
    'bob%2f@example.com',
    'bob?x=1@example.com',
    'bob#x@example.com',
    'bob@example.com/path',
    'bob@example.com?x=1',
    'bob@example.com#x',
    'bob@example.com:port',
    'bob@example.com:99999',
    'bob@-example.com',
    'bob@exa_mple.com',
    'bob@example..com',
    'bob @example.com',
    'böb@example.com',
    'bob@exämple.com',
    'bob@127.0.0.1',
    'bob@127.1',
    'bob@2130706433',
    'bob@0x7f000001',
    'bob@[::1]',
    'bob@1.2.3.4:80',
    'bob\n@example.com',
    `${'b'.repeat(400)}@example.com`,
    'https://example.com/.well-known/lnurlp/bob',
  ])('refuses %j', (typed) => {
    expect(() => parseLightningAddress(typed)).toThrow(WalletFault);
    try {
      parseLightningAddress(typed);
    } catch (error) {
      expect((error as WalletFault).kind).toBe('refused');
    }
  });

  test('uses plain http only for names of this machine or network, and only when allowed', () => {
    for (const host of ['localhost:3000', 'w.test', 'node.local', 'lnbits:5000', 'a.localhost']) {
      expect(urlOf(`bob@${host}`, true)).toBe(`http://${host}/.well-known/lnurlp/bob`);
      expect(urlOf(`bob@${host}`, false)).toBe(`https://${host}/.well-known/lnurlp/bob`);
    }
    expect(urlOf('bob@example.com', true)).toMatch(/^https:/);
  });
});
