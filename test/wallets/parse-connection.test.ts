import { describe, expect, test } from 'vitest';
import { parseConnection } from '../../src/wallets/parse-connection.ts';
import { nameOf } from '../../src/wallets/wallet-connection.ts';
import { writeMacaroon } from '../support/macaroon.ts';

const pubkey = '79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const secret = '01'.repeat(32);
const macaroon = writeMacaroon({ invoices: ['read', 'write'] });
const base64url = (bytes: Buffer) => bytes.toString('base64url');
/** With a plus and a slash in its base64. */
const der = Buffer.from([0x30, 0x07, 0x02, 0x05, 0x01, 0x01, 0xfb, 0xef, 0xff]);

describe('what merchants paste', () => {
  test.each([
    [' lightning:Alice@Shop.example ', { kind: 'lightning_address', address: 'alice@shop.example' }],
    [
      `nostr+walletconnect://${pubkey}?relay=wss%3A%2F%2Fa.example&relay=wss://b.example&secret=${secret}&lud16=a@b.c`,
      { kind: 'nwc', relays: ['wss://a.example', 'wss://b.example'], walletPubkey: pubkey, secret },
    ],
    [
      `nostrwalletconnect:${pubkey.toUpperCase()}?relay=wss://a.example&secret=${secret}`,
      { kind: 'nwc', relays: ['wss://a.example'], walletPubkey: pubkey, secret },
    ],
    [
      `lndconnect://node.example:8080?macaroon=${base64url(Buffer.from(macaroon, 'hex'))}`,
      { kind: 'lnd', url: 'https://node.example:8080', macaroon },
    ],
    [`lnd+https://node.example:8080?macaroon=${macaroon}`, { kind: 'lnd', url: 'https://node.example:8080', macaroon }],
    [
      `type=lnd-rest;server=https://node.example:8080/;macaroon=${macaroon}`,
      { kind: 'lnd', url: 'https://node.example:8080', macaroon },
    ],
    ['clnrest://node.example:3010?rune=abc%3D', { kind: 'cln', url: 'https://node.example:3010', rune: 'abc=' }],
    ['https://node.example:3010?rune=abc', { kind: 'cln', url: 'https://node.example:3010', rune: 'abc' }],
    ['http://:pass@127.0.0.1:9740', { kind: 'phoenixd', url: 'http://127.0.0.1:9740', password: 'pass' }],
    ['http://:p%40%3A@127.0.0.1:9740', { kind: 'phoenixd', url: 'http://127.0.0.1:9740', password: 'p@:' }],
    ['http://:100%zz@127.0.0.1:9740', { kind: 'phoenixd', url: 'http://127.0.0.1:9740', password: '100%zz' }],
    [
      'type=phoenixd;server=http://127.0.0.1:9740/;password=pass',
      { kind: 'phoenixd', url: 'http://127.0.0.1:9740', password: 'pass' },
    ],
    [
      'lndhub://invoice:abc123@https://lnbits.example/lndhub/ext/',
      { kind: 'lnbits', url: 'https://lnbits.example', invoiceKey: 'abc123' },
    ],
    ['lnbits+https://h.example/sub?key=abc', { kind: 'lnbits', url: 'https://h.example/sub', invoiceKey: 'abc' }],
    ['blink_abc', { kind: 'blink', url: 'https://api.blink.sv/graphql', apiKey: 'blink_abc' }],
    ['\n"blink_abc" ', { kind: 'blink', url: 'https://api.blink.sv/graphql', apiKey: 'blink_abc' }],
    [`'alice@shop.example'`, { kind: 'lightning_address', address: 'alice@shop.example' }],
    [
      'type=blink;server=https://api.blink.sv/graphql;api-key=blink_abc;wallet-id=1',
      { kind: 'blink', url: 'https://api.blink.sv/graphql', apiKey: 'blink_abc' },
    ],
  ])('%s', (text, connection) => {
    expect(parseConnection(text)).toEqual(connection);
  });

  test.each([
    [
      'https://btcpay.example/stores/Abc123/lightning/BTC',
      { kind: 'btcpay', url: 'https://btcpay.example', storeId: 'Abc123', apiKey: 'k' },
    ],
    ['https://lnbits.example/wallet?usr=1&wal=2', { kind: 'lnbits', url: 'https://lnbits.example', invoiceKey: 'k' }],
    ['clnrest://node.example:3010', { kind: 'cln', url: 'https://node.example:3010', rune: 'k' }],
    ['phoenixd+http://127.0.0.1:9740', { kind: 'phoenixd', url: 'http://127.0.0.1:9740', password: 'k' }],
  ])('%s, with the secret beside it', (text, connection) => {
    expect(parseConnection(text, 'k')).toEqual(connection);
    expect(parseConnection(text, ' "k"\n')).toEqual(connection);
  });

  test('a macaroon is read however base64 writes it', () => {
    const bytes = Buffer.from(writeMacaroon({ invoices: ['read', 'write'], '>>>???': ['~~~'] }), 'hex');
    const base64 = bytes.toString('base64');
    expect(base64).toMatch(/\+.*\/|\/.*\+/);
    for (const written of [base64, encodeURIComponent(base64), bytes.toString('base64url'), bytes.toString('hex')]) {
      const connection = parseConnection(`lndconnect://node.example:8080?macaroon=${written}`);
      expect(connection).toMatchObject({ macaroon: bytes.toString('hex') });
    }
  });

  const pem = `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
  test.each([
    ['base64url', base64url(der)],
    ['base64', der.toString('base64')],
    ['encoded base64', encodeURIComponent(der.toString('base64'))],
    ['PEM', pem],
    ['encoded PEM', encodeURIComponent(pem)],
    ['PEM in base64', Buffer.from(pem).toString('base64')],
  ])('a node’s own certificate is kept with it, in %s', (_, written) => {
    expect(parseConnection(`lndconnect://node.example:8080?cert=${written}&macaroon=${macaroon}`)).toMatchObject({
      certificate: pem,
    });
    expect(parseConnection(`clnrest://node.example:3010?rune=abc&certs=${written}`)).toMatchObject({
      certificate: pem,
    });
  });

  test('a key that holds a line break is not called missing', () => {
    expect(() => parseConnection('lnbits+https://h.example', 'ab\ncd')).toThrow('must not hold blanks');
  });
});

test('a certificate that could not be pinned is not passed over in silence', () => {
  const text = `type=lnd-rest;server=https://node.example:8080/;macaroon=${macaroon};certthumbprint=${'ab'.repeat(32)}`;
  expect(() => parseConnection(text)).toThrow('cannot be checked by its thumbprint');
});

test.each([
  '',
  'hello',
  'https://shop.example',
  'https://btcpay.example/stores/Abc123',
  'lnbits+https://h.example',
  'lndconnect://node.example:8080',
  'lndconnect://node.example:8080?macaroon=xx',
  `lndconnect://node.example:8080?cert=xx&macaroon=${macaroon}`,
  `nostr+walletconnect://${pubkey}?relay=wss://a.example`,
  `nostr+walletconnect://${pubkey}?secret=${secret}`,
  `nostr+walletconnect://${pubkey}?relay=http://a.example&secret=${secret}`,
  `nostr+walletconnect://${pubkey}?relay=wss://a.example&secret=${'ff'.repeat(32)}`,
  `nostr+walletconnect://${'ff'.repeat(32)}?relay=wss://a.example&secret=${secret}`,
  'lndhub://invoice:abc123',
  'type=strike;server=https://h.example',
  'type=phoenixd;server=nonsense;password=hidden-word',
  `x${'y'.repeat(9000)}`,
])('refuses %s without repeating it', (text) => {
  let message = '';
  try {
    parseConnection(text);
  } catch (error) {
    message = (error as Error).message;
  }
  expect(message).toMatch(/^[^<>{}]+\.$/);
  expect(message).not.toMatch(/hidden-word|0101|abc123/);
});

test('a wallet’s name holds no secret', () => {
  for (const text of [
    `lndconnect://node.example:8080?macaroon=${macaroon}`,
    'http://:hidden@127.0.0.1:9740',
    'blink_hidden',
    `nostr+walletconnect://${pubkey}?relay=wss://a.example&secret=${secret}`,
  ]) {
    expect(nameOf(parseConnection(text))).not.toMatch(new RegExp(`hidden|${secret}|${macaroon}`));
  }
});
