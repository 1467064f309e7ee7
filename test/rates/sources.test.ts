import { describe, expect, test } from 'vitest';
import type { HttpGet } from '../../src/rates/rate.ts';
import { defaultAddresses, type MarketName, openSource } from '../../src/rates/sources.ts';

/** Answers every address with this body; strings go out as they are, anything else as JSON. */
function answering(body: unknown, status = 200): HttpGet {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return async () => ({ status, body: Buffer.from(text) });
}

function ask(name: MarketName, get: HttpGet): Promise<Readonly<Record<string, string>>> {
  return openSource(name, defaultAddresses[name], get).fetch(new AbortController().signal);
}

const coinbase = (rates: unknown) => ({ data: { currency: 'BTC', rates } });
const kraken = (result: unknown, error: unknown[] = []) => ({ error, result });
const lastTrade = (price: unknown) => ({ a: ['1', '1', '1'], c: [price, '0.01'] });

describe('coinbase', () => {
  test('gives every fiat and leaves the coins', async () => {
    const rates = {
      USD: '65000.5',
      EUR: '56000.123456789012345',
      JPY: '9750000',
      ETH: '31.9',
      '00': '1',
      USDT: '65010',
    };
    expect(await ask('coinbase', answering(coinbase(rates)))).toEqual({
      usd: '65000.5',
      eur: '56000.123456789012345',
      jpy: '9750000',
    });
  });

  test('does not take the coin ERN for the nakfa', async () => {
    expect(await ask('coinbase', answering(coinbase({ USD: '1', ERN: '2', MNT: '3' })))).toEqual({
      usd: '1',
      mnt: '3',
    });
  });

  test.each([
    0,
    65000.5,
    '0',
    '0.00',
    'NaN',
    '-65000',
    '+1',
    '',
    'Infinity',
    '1e-30',
    null,
    true,
    {},
    [],
    '65,000',
    '0x1',
  ])('leaves out a currency priced %j, and the whole answer if it is the dollar (case C039)', async (price) => {
    expect(await ask('coinbase', answering(coinbase({ USD: '65000', EUR: price })))).toEqual({ usd: '65000' });
    await expect(ask('coinbase', answering(coinbase({ USD: price, EUR: '1' })))).rejects.toThrow('USD');
  });

  test('refuses prices of another coin', async () => {
    const answer = { data: { currency: 'ETH', rates: { USD: '2000' } } };
    await expect(ask('coinbase', answering(answer))).rejects.toThrow('not BTC');
  });
});

describe('kraken', () => {
  test('reads old and new pair names', async () => {
    const result = {
      XXBTZUSD: lastTrade('65000.50000'),
      XXBTZEUR: lastTrade('56000.10000'),
      XBTCHF: lastTrade('52000.1'),
      XBTZAR: lastTrade('1040000.1'),
      XETHZUSD: lastTrade('2000'),
      XBTUSDT: lastTrade('65010'),
    };
    expect(await ask('kraken', answering(kraken(result)))).toEqual({
      usd: '65000.50000',
      eur: '56000.10000',
      chf: '52000.1',
      zar: '1040000.1',
    });
  });

  test('sees faults that come with status 200', async () => {
    const answer = kraken({ XXBTZUSD: lastTrade('65000') }, ['EService:Unavailable']);
    await expect(ask('kraken', answering(answer))).rejects.toThrow('EService:Unavailable');
    await expect(ask('kraken', answering({ error: ['EQuery:Unknown asset pair'] }))).rejects.toThrow('EQuery');
  });

  test.each([{}, { c: [] }, { c: '65000' }, { c: [65000] }, { c: ['0'] }, null, 'x'])(
    'refuses ticker %j',
    async (ticker) => {
      await expect(ask('kraken', answering(kraken({ XXBTZUSD: ticker })))).rejects.toThrow('USD');
    },
  );
});

describe('bitstamp', () => {
  test('asks pair by pair and can do without all but the dollar', async () => {
    const asked: string[] = [];
    const get: HttpGet = async (url) => {
      asked.push(url);
      if (url.includes('btcgbp')) return { status: 404, body: Buffer.from('') };
      return { status: 200, body: Buffer.from(JSON.stringify({ last: url.includes('btcusd') ? '65000' : '56000' })) };
    };
    const source = openSource('bitstamp', 'https://mirror.example/ticker', get);
    expect(await source.fetch(new AbortController().signal)).toEqual({ usd: '65000', eur: '56000' });
    expect(asked).toContain('https://mirror.example/ticker/btcusd/');
    await expect(
      ask('bitstamp', async (url) => ({ status: url.includes('usd') ? 500 : 200, body: Buffer.from('{}') })),
    ).rejects.toThrow('status 500');
  });
});

describe('mempool', () => {
  test('gives numbers, and only numbers above zero', async () => {
    const answer = { time: 1764000000, USD: 65000, EUR: 56000.5, GBP: '49000', CAD: 0, CHF: -1, JPY: null };
    expect(await ask('mempool', answering(answer))).toEqual({ usd: '65000', eur: '56000.5' });
  });

  test.each(['{"USD": NaN}', '{"USD": 1e999}', '{"USD": "65000"}', '{"USD": 0}', '{"USD": -0}'])(
    'refuses %s',
    async (text) => {
      await expect(ask('mempool', answering(text))).rejects.toThrow();
    },
  );
});

describe.each(Object.keys(defaultAddresses) as MarketName[])('%s', (name) => {
  test.each([
    ['an error page with status 200', '<!doctype html><title>Just a moment</title>', 200],
    ['a refusal', '{"message":"forbidden"}', 403],
    ['a redirect', '', 302],
    ['nothing', '', 200],
    ['null', 'null', 200],
    ['a list', '[]', 200],
    ['a string', '"65000"', 200],
    ['a number', '65000', 200],
    ['another shape', '{"data":null,"result":[],"last":{}}', 200],
    ['half an answer', '{"data":{"rates":{"USD":"650', 200],
    ['a member inherited by objects', '{"data":{"rates":{"__proto__":{"USD":"1"}}},"result":{"__proto__":{}}}', 200],
  ])('refuses %s', async (_, text, status) => {
    await expect(ask(name, answering(text, status))).rejects.toThrow();
  });

  test('quotes nothing of an error page in its fault', async () => {
    await expect(ask(name, answering('<html>secret</html>'))).rejects.not.toThrow('secret');
  });

  test('hands on its signal', async () => {
    const abort = new AbortController();
    const seen: AbortSignal[] = [];
    const get: HttpGet = async (_, signal) => {
      seen.push(signal);
      throw new Error('connection refused');
    };
    await expect(openSource(name, defaultAddresses[name], get).fetch(abort.signal)).rejects.toThrow(
      'connection refused',
    );
    expect(seen[0]).toBe(abort.signal);
  });
});
