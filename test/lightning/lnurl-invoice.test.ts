import { describe, expect, test } from 'vitest';
import { createOutbound } from '../../src/kernel/outbound.ts';
import { lightningAddressConnector } from '../../src/lightning/adapters/lightning-address.ts';
import { decodeBolt11 } from '../../src/lightning/bolt11.ts';
import { callbackUrl } from '../../src/lightning/lnurl.ts';
import { instead, type LnurlBehaviour } from '../support/lnurl-server.ts';
import { faultOf, signal, useLnurlWallet } from '../support/lnurl-wallet.ts';

const wallet = useLnurlWallet();

function create(amountMsat = 21_000n, description = 'Order ORD-000001') {
  return wallet.connector.createInvoice({ ref: 'r', amountMsat, description, expirySeconds: 900 }, signal);
}

function behave(behaviour: LnurlBehaviour): void {
  wallet.server.behaviour = behaviour;
}

const callbacks = () => wallet.server.requests.filter((line) => line.startsWith('/callback'));

describe('asking a lightning address for an invoice', () => {
  test('adds the amount behind the query that is there (case C009)', async () => {
    behave({ payRequest: (answer) => ({ ...answer, callback: `${answer.callback}?ott=a%3Fb` }) });
    await create();
    expect(callbacks()).toEqual(['/callback?ott=a%3Fb&amount=21000']);
  });

  test('puts the amount first and sends a comment only where one is taken, cut to its length (case C017)', async () => {
    await create();
    behave({ payRequest: (answer) => ({ ...answer, commentAllowed: 10 }) });
    wallet.clock.advanceSeconds(600);
    await create(21_000n, 'Kaffee & 🥨🥨🥨');
    await create(21_000n, '');
    expect(callbacks()).toEqual([
      '/callback?amount=21000',
      `/callback?amount=21000&comment=${encodeURIComponent('Kaffee & 🥨')}`,
      '/callback?amount=21000',
    ]);
  });

  test.each([
    ['https://w.test/cb', 'https://w.test/cb?amount=1'],
    ['https://w.test/cb?', 'https://w.test/cb?amount=1'],
    ['https://w.test/cb?a=1&b=%20+%2B#part', 'https://w.test/cb?a=1&b=%20+%2B&amount=1'],
    ['https://w.test', 'https://w.test/?amount=1'],
  ])('builds on the callback %s', (callback, expected) => {
    const offer = { callback, minMsat: 1n, maxMsat: 1n, metadataHash: undefined, commentAllowed: 0 };
    expect(callbackUrl(offer, 1n, 'hello')).toBe(expected);
  });

  test('leaves a comment out that would make the URL too long', () => {
    const offer = {
      callback: 'https://w.test/cb',
      minMsat: 1n,
      maxMsat: 1n,
      metadataHash: undefined,
      commentAllowed: 9999,
    };
    expect(callbackUrl(offer, 1n, '🥨'.repeat(160)).length).toBeLessThan(2000);
    expect(callbackUrl(offer, 1n, '🥨'.repeat(170))).toBe('https://w.test/cb?amount=1');
    expect(callbackUrl(offer, 1n, '\ud800')).toBe('https://w.test/cb?amount=1&comment=%EF%BF%BD');
  });

  test('asks for whole sats only (case C011)', async () => {
    expect((await faultOf(create(1_001_400n))).kind).toBe('amount_out_of_range');
    expect(callbacks()).toEqual([]);
  });

  test('refuses every other amount than the one asked (case C012)', async () => {
    for (const given of [20_000n, 22_000n, 21_001n, null]) {
      behave({ amountMsat: () => given });
      expect((await faultOf(create())).kind).toBe('bad_invoice');
    }
  });

  test('refuses invoices of a network that is not for this wallet, or that run out at once', async () => {
    for (const behaviour of [
      { network: 'mainnet' },
      { expirySeconds: 20 },
      { timestampOffsetSeconds: -1000 },
      { timestampOffsetSeconds: 600 },
    ] satisfies LnurlBehaviour[]) {
      behave(behaviour);
      expect((await faultOf(create())).kind).toBe('bad_invoice');
    }
    behave({ network: 'signet', expirySeconds: 60 });
    const { bolt11, expiresAt } = await create();
    expect(bolt11).toMatch(/^lntbs/);
    expect(expiresAt).toEqual(new Date('2026-11-27T12:01:00Z'));
  });

  test('takes an invoice in upper case or with a prefix and gives it bare (case C004)', async () => {
    behave({ callback: (answer) => ({ ...answer, pr: `lightning:${String(answer.pr).toUpperCase()}` }) });
    const { bolt11, paymentHash } = await create();
    expect(bolt11).toBe(wallet.server.invoices.get(paymentHash)!.bolt11);
  });

  test('hashes the metadata as it came, and does not lose the sale over it (case C013)', async () => {
    const metadata = '[["text/plain","caf\\u00e9"],["image/png;base64","AAAA"]]';
    const seen: unknown[] = [];
    for (const commitment of ['right', 'missing', 'other'] as const) {
      behave({ metadata, commitment });
      wallet.clock.advanceSeconds(600);
      seen.push((await create()).handle.commitment);
    }
    expect(seen).toEqual(['right', 'missing', 'other']);
  });

  test('keeps the verify URL for later', async () => {
    const { paymentHash, handle } = await create();
    expect(handle.verify).toBe(`http://${wallet.server.host}/verify/${paymentHash}`);
    behave({ callback: ({ pr }) => ({ pr }) });
    expect((await create()).handle).toEqual({ commitment: 'right' });
  });

  test('asks for limits once in three minutes, and again after a failure', async () => {
    const offers = () => wallet.server.requests.filter((line) => line.startsWith('/.well-known')).length;
    await create();
    await create();
    expect(offers()).toBe(1);
    wallet.clock.advanceSeconds(181);
    await create();
    expect(offers()).toBe(2);
    behave({ amountMsat: () => 1n });
    await faultOf(create());
    behave({});
    await create();
    expect(offers()).toBe(3);
  });
});

describe('an offer that was kept', () => {
  const offers = () => wallet.server.requests.filter((line) => line.startsWith('/.well-known')).length;

  test('is not used twice when its callback has a query, which may be a one-time token', async () => {
    let token = 0;
    behave({ payRequest: (answer) => ({ ...answer, callback: `${answer.callback}?ott=${++token}` }) });
    await create();
    await create();
    expect(callbacks()).toEqual(['/callback?ott=1&amount=21000', '/callback?ott=2&amount=21000']);
  });

  test('is fetched afresh when it no longer holds', async () => {
    await create();
    behave({
      payRequest: (answer) => ({ ...answer, callback: String(answer.callback).replace('callback', 'callback/2') }),
    });
    wallet.server.behaviour.instead = {
      callback: (response, request) => {
        if (!request.url!.startsWith('/callback/2')) return instead.error('gone')(response);
        wallet.server.behaviour.instead = {};
        wallet.server.repeat(request, response);
      },
    };
    await create();
    expect(offers()).toBe(2);
    expect(callbacks()).toEqual(['/callback?amount=21000', '/callback?amount=21000', '/callback/2?amount=21000']);
  });

  test('is fetched afresh when its limits are in the way', async () => {
    behave({ payRequest: (answer) => ({ ...answer, maxSendable: 30_000 }) });
    await create();
    behave({});
    expect((await create(50_000n)).bolt11).toMatch(/^lnbcrt500n/);
    expect(offers()).toBe(2);
  });
});

describe('a wallet that refuses or misbehaves', () => {
  const stages = ['payRequest', 'callback'] as const;

  test.each(stages)('has its reason quoted as plain text at %s, whatever the status (case C014)', async (stage) => {
    for (const status of [200, 400, 404, 500]) {
      behave({ instead: { [stage]: instead.error('no liquidity', status) } });
      const fault = await faultOf(create());
      expect(fault).toMatchObject({ kind: 'refused', message: 'The wallet refused: no liquidity' });
    }
    behave({ instead: { [stage]: instead.error('<b>no</b>') } });
    expect((await faultOf(create())).message).toBe('The wallet refused.');
    behave({ instead: { [stage]: instead.error(`a\u0000b\n${'x'.repeat(5000)}`) } });
    expect((await faultOf(create())).message).toMatch(/^The wallet refused: a b x{196}$/);
  });

  test.each(stages)('is told apart at %s', async (stage) => {
    const { host } = wallet.server;
    const expected = [
      [instead.html(404), 'protocol'],
      [instead.html(500), 'unreachable'],
      [instead.html(200), 'protocol'],
      [instead.json({ detail: 'gone' }), stage === 'callback' ? 'bad_invoice' : 'protocol'],
      [instead.json({ detail: 'gone' }, 404), 'protocol'],
      [instead.json(['no object']), 'protocol'],
      [instead.json(null), 'protocol'],
      [instead.redirect(`http://${host}/.well-known/lnurlp/alice`), 'protocol'],
      [instead.huge(), 'protocol'],
      [instead.drop(), 'unreachable'],
      [instead.error('slow down', 429), 'rate_limited'],
    ] as const;
    for (const [takeOver, kind] of expected) {
      behave({ instead: { [stage]: takeOver } });
      expect([String(takeOver), (await faultOf(create())).kind]).toEqual([String(takeOver), kind]);
    }
  });

  test('is given up when the caller gives up', async () => {
    behave({ instead: { callback: instead.hang() } });
    const request = { ref: 'r', amountMsat: 1000n, description: '', expirySeconds: 900 };
    const fault = await faultOf(wallet.connector.createInvoice(request, AbortSignal.timeout(100)));
    expect(fault.kind).toBe('unreachable');
  });

  test('says when to come back', async () => {
    behave({
      instead: { callback: (response) => void response.writeHead(429, { 'retry-after': '7' }).end() },
    });
    expect(await faultOf(create())).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 7 });
  });

  test.each([
    ['a relative callback', { callback: '/cb' }],
    ['no callback', { callback: undefined }],
    ['a callback of another protocol', { callback: 'ftp://w.test/cb' }],
    ['a callback with a password', { callback: 'http://a:b@localhost/cb' }],
    ['another tag', { tag: 'withdrawRequest' }],
    ['no tag', { tag: undefined }],
    ['no limits', { minSendable: undefined }],
    ['limits that are no numbers', { maxSendable: 'plenty' }],
    ['negative limits', { minSendable: -5 }],
    ['limits the wrong way round', { minSendable: 2000, maxSendable: 1000 }],
  ])('is refused for %s (case C130)', async (_, change) => {
    behave({ payRequest: (answer) => ({ ...answer, ...change }) });
    expect((await faultOf(create())).kind).toBe('protocol');
    expect(callbacks()).toEqual([]);
  });

  test.each([
    ['limits as decimal strings', { minSendable: '1000', maxSendable: '100000000' }],
    ['limits beyond all bitcoin', { maxSendable: 1e300 }],
    ['limits with a fraction', { minSendable: 999.5, maxSendable: 1e9 + 0.5 }],
    ['no metadata', { metadata: undefined }],
    ['metadata that is no JSON', { metadata: 'hello' }],
    ['metadata with odd entries', { metadata: '[["text/plain",5],["x",{}],7,null]' }],
    ['metadata that is no string', { metadata: [['text/plain', 'x']] }],
    ['an odd commentAllowed', { commentAllowed: true }],
  ])('is borne with for %s (case C130)', async (_, change) => {
    behave({ payRequest: (answer) => ({ ...answer, ...change }) });
    expect((await create()).bolt11).toMatch(/^lnbcrt210n/);
  });

  test('is not asked outside its limits', async () => {
    behave({ payRequest: (answer) => ({ ...answer, minSendable: 10_000, maxSendable: 20_999 }) });
    for (const amountMsat of [9_000n, 21_000n]) {
      expect((await faultOf(create(amountMsat))).kind).toBe('amount_out_of_range');
    }
    expect(callbacks()).toEqual([]);
  });
});

describe('where the requests go', () => {
  const build = (address: string, options: { allowHttp: boolean; allowPrivateNetworks: boolean }) =>
    lightningAddressConnector({
      address,
      outbound: createOutbound({ ...options, lookup: async () => ['127.0.0.1'] }),
      networks: ['regtest'],
      allowHttp: options.allowHttp,
      clock: wallet.clock,
    });

  test('is guarded: no address, callback or verify URL reaches a private network', async () => {
    const strict = { allowHttp: true, allowPrivateNetworks: false };
    const port = wallet.server.host.split(':')[1];
    const fault = await faultOf(build(`alice@wallet.test:${port}`, strict).probe(signal));
    expect(fault.kind).toBe('protocol');
    expect(wallet.server.requests).toEqual([]);
  });

  test('is guarded at each step, because the wallet chooses the next URL', async () => {
    const hidden = ['http://169.254.169.254/latest', 'http://[::ffff:169.254.169.254]/', 'http://[fd00:ec2::254]/'];
    for (const url of hidden) {
      behave({ payRequest: (answer) => ({ ...answer, callback: url }) });
      wallet.clock.advanceSeconds(600);
      expect(await faultOf(create())).toMatchObject({
        kind: 'protocol',
        message: expect.stringMatching(/not allowed/),
      });
      behave({ callback: (answer) => ({ ...answer, verify: url }) });
      wallet.clock.advanceSeconds(600);
      const created = await create();
      const lookup = wallet.connector.lookupInvoice({ ...created, ref: 'r' }, signal);
      expect(await faultOf(lookup)).toMatchObject({ kind: 'protocol', message: expect.stringMatching(/not allowed/) });
    }
  });

  test('is https only by default, also for callbacks', async () => {
    const plain = { allowHttp: false, allowPrivateNetworks: true };
    expect((await faultOf(build(wallet.server.address, plain).probe(signal))).kind).toBe('unreachable');
    expect(wallet.server.requests).toEqual([]);
  });

  test('is decided by a valid address', () => {
    const options = { allowHttp: true, allowPrivateNetworks: true };
    expect(() => build('alice@127.0.0.1', options)).toThrow(/must be a name/);
    expect(() => build('alice', options)).toThrow(/name@example.com/);
  });

  test('looks up what the merchant typed in lower case (case C016)', async () => {
    const connector = build(`Alice@LOCALHOST:${wallet.server.host.split(':')[1]}`, {
      allowHttp: true,
      allowPrivateNetworks: true,
    });
    await connector.probe(signal);
    expect(wallet.server.requests[0]).toBe('/.well-known/lnurlp/alice');
  });
});

test('reads the amount from the string and from nowhere else', async () => {
  behave({ callback: (answer) => ({ ...answer, amount: 5, amountMsat: 7 }) });
  expect(decodeBolt11((await create()).bolt11).amountMsat).toBe(21_000n);
});
