import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { createChannel, importFile } from '../../harness/directory.ts';
import { anId, expectInvalid, unknownFilter } from '../../harness/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());
beforeEach(() => app.rows('truncate channels, exchanges, countries'));

const sample = () =>
  JSON.parse(readFileSync(new URL('../../../src/resources/directory/sample.json', import.meta.url), 'utf8'));
const channel = (slug: string, members: Record<string, unknown> = {}) => ({ slug, name: slug, ...members });

describe('channels and creators', () => {
  const slugs = async (query = '') => {
    const { status, body } = await app.stranger.get(`/api/v1/pub/channels?${query}`);
    expect(status).toBe(200);
    return body.data.map(({ slug }: { slug: string }) => slug);
  };

  test('show every member to anybody, under both names', async () => {
    await importFile(app, {
      channels: [
        channel('satoshi-cooks', {
          name: 'Satoshi cooks',
          bio: 'Ramen',
          videos_count: 7,
          category: 'Food',
          social_links: { website: 'https://cooks.example' },
          merchant_name: 'Cook & Co',
          country: 'jp',
          language: 'ja',
          currency: 'JPY',
        }),
      ],
    });
    const expected = {
      object: 'list',
      data: [
        {
          object: 'channel',
          slug: 'satoshi-cooks',
          name: 'Satoshi cooks',
          bio: 'Ramen',
          videos_count: 7,
          nsfw: false,
          theme: null,
          category: 'food',
          profile_image_url: null,
          social_links: { website: 'https://cooks.example' },
          merchant_name: 'Cook & Co',
          country: 'JP',
          country_name: 'Japan',
          language: 'ja',
          currency: 'jpy',
        },
      ],
      meta: { current_page: 1, per_page: 24, total_count: 1, total_pages: 1 },
    };
    for (const noun of ['channels', 'creators']) {
      const reply = await app.stranger.get(`/api/v1/pub/${noun}`);
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual(expected);
    }
  });

  test('may be kept for a minute, and asked for again by their tag', async () => {
    const url = '/api/v1/pub/channels';
    const first = await app.stranger.get(url);
    expect(first.headers).toMatchObject({
      'cache-control': 'public, max-age=60',
      'access-control-allow-origin': '*',
    });
    const again = await app.stranger.get(url, { 'if-none-match': first.headers.etag! });
    expect([again.status, again.body]).toEqual([304, '']);
    await importFile(app, { channels: [channel('newcomer')] });
    const changed = await app.stranger.get(url, { 'if-none-match': first.headers.etag! });
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(first.headers.etag);
    const preflight = await app.app.inject({ method: 'OPTIONS', url });
    expect(preflight.statusCode).toBe(204);
  });

  test('a merchant’s live channels are listed under its name of today; test channels and closed merchants are not', async () => {
    const merchant = await app.newMerchant();
    await createChannel(merchant.live, { name: 'Live one' });
    await createChannel(merchant.test, { name: 'Test one' });
    await merchant.live.patch('/api/v1/m/merchant', { merchant: { name: 'Renamed' } });
    const { body } = await app.stranger.get('/api/v1/pub/creators');
    expect(body.data).toMatchObject([{ slug: 'live-one', merchant_name: 'Renamed' }]);
    expect(await slugs('q=renamed')).toEqual(['live-one']);
    expect(await slugs('q=shop')).toEqual([]);
    await app.rows(`update merchants set status = 'suspended' where id = $1`, [merchant.id]);
    expect(await slugs()).toEqual([]);
  });

  test('are left out when they are not for everybody, unless asked for', async () => {
    await importFile(app, { channels: [channel('calm'), channel('wild', { nsfw: true })] });
    expect(await slugs()).toEqual(['calm']);
    expect(await slugs('nsfw=false')).toEqual(['calm']);
    expect(await slugs('nsfw=true')).toEqual(['wild']);
    expect((await slugs('nsfw=all')).toSorted()).toEqual(['calm', 'wild']);
    // What a form sends with nothing chosen.
    expect(await slugs('q=&category=&nsfw=')).toEqual(await slugs(''));
    expectInvalid(await app.stranger.get('/api/v1/pub/channels?nsfw=1'), 'nsfw must be one of false, true, all');
  });

  test('are found by beginnings of words anywhere and by parts of words of their names', async () => {
    await importFile(app, {
      channels: [
        channel('bitcoin-daily', { name: 'Bitcoin Daily', bio: 'News about money', category: 'news' }),
        channel('cafe', { name: 'Café Órale', bio: '100% good_coffee', merchant_name: 'Señor Coin', category: 'food' }),
        channel('lodz', {
          name: 'Ośrodek Łódź',
          bio: 'Smørrebrød, đàn, Straße',
          merchant_name: 'Œuvre',
          category: null,
        }),
      ],
    });
    const found = async (q: string, more = '') => (await slugs(`q=${encodeURIComponent(q)}${more}`)).toSorted();
    expect(await found('BITCOIN')).toEqual(['bitcoin-daily']);
    expect(await found('coin')).toEqual(['bitcoin-daily', 'cafe']);
    expect(await found('cafe orale')).toEqual(['cafe']);
    expect(await found('CAFÉ')).toEqual(['cafe']);
    expect(await found('senor')).toEqual(['cafe']);
    for (const word of ['lodz', 'ŁÓDŹ', 'łodz', 'smorrebrod', 'SMØRREBRØD', 'dan', 'strasse', 'straße', 'oeuvre']) {
      expect(await found(word), word).toEqual(['lodz']);
    }
    expect(await found('mon')).toEqual(['bitcoin-daily']);
    expect(await found('oney')).toEqual([]);
    expect(await found('coin news')).toEqual(['bitcoin-daily']);
    expect(await found('coin', '&category=FOOD')).toEqual(['cafe']);
    expect(await found(`'); drop table channels; --`)).toEqual([]);
    expect(await found(`coin' | 'x`)).toEqual([]);
    expect(await found('%')).toEqual([]);
    expect(await found('  ')).toHaveLength(3);
    expectInvalid(
      await app.stranger.get(`/api/v1/pub/channels?q=${'x'.repeat(201)}`),
      'q must have at most 200 characters',
    );
    expectInvalid(await app.stranger.get('/api/v1/pub/channels?q=%00'), 'q has a NUL or a broken character');
    expectInvalid(await app.stranger.get('/api/v1/pub/channels?q=a&q=b'), 'q is given more than once');
    expectInvalid(await app.stranger.get('/api/v1/pub/channels?q[name_eq]=a'), unknownFilter('q[name_eq]'));
  });

  test('come 24 a page, newest first', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `channel-${String(index).padStart(2, '0')}`);
    for (const name of names.slice(0, 2)) {
      await importFile(app, { channels: [channel(name)] });
      app.clock.advanceSeconds(1);
    }
    await importFile(app, { channels: names.slice(2).map((name) => channel(name)) });
    const page = async (query: string) => (await app.stranger.get(`/api/v1/pub/channels?${query}`)).body;
    const first = await page('');
    expect(first.data).toHaveLength(24);
    expect(first.meta).toEqual({ current_page: 1, per_page: 24, total_count: 30, total_pages: 2 });
    const last = await page('page=2');
    expect(last.data.slice(-2).map(({ slug }: { slug: string }) => slug)).toEqual(['channel-01', 'channel-00']);
    expect((await page('per_page=1000')).meta.per_page).toBe(100);
    expect(await page('page=9')).toMatchObject({ data: [], meta: { total_count: 30 } });
    expectInvalid(await app.stranger.get('/api/v1/pub/channels?per_page=0'), 'per_page must be a whole number from 1');
  });
});

test('categories are those that channels have, once each, in order', async () => {
  const read = async () => (await app.stranger.get('/api/v1/pub/categories')).body;
  expect(await read()).toEqual({ object: 'list', data: [] });
  await importFile(app, {
    channels: [
      channel('one', { category: 'News' }),
      channel('two', { category: 'food' }),
      channel('three', { category: 'news', nsfw: true }),
      channel('four'),
    ],
  });
  const merchant = await app.newMerchant();
  await createChannel(merchant.test, { category: 'secret' });
  expect(await read()).toEqual({ object: 'list', data: ['food', 'news'] });
  await createChannel(merchant.live, { category: 'art' });
  expect((await read()).data).toEqual(['art', 'food', 'news']);
  await app.rows(`update merchants set status = 'suspended' where id = $1`, [merchant.id]);
  expect((await read()).data).toEqual(['food', 'news']);
});

describe('exchanges', () => {
  const read = async () => (await app.stranger.get('/api/v1/pub/exchanges')).body;

  test('the sample is valid, names its sources, and reads twice without a change', async () => {
    expect(await importFile(app, sample())).toMatchObject({ exchanges: 5, countries: 1, changed: 6 });
    const first = await read();
    app.clock.advanceSeconds(60);
    expect(await importFile(app, sample())).toMatchObject({ exchanges: 5, changed: 0, removed: 0 });
    expect(await read()).toEqual(first);
    for (const { source_url, checked_on, lightning_deposits } of first.exchanges) {
      expect(source_url).toMatch(/^https:\/\//);
      expect(checked_on).toMatch(/^\d{4}-\d\d-\d\d$/);
      expect(lightning_deposits).toBe(true);
    }
  });

  test('show every member, promoted ones first', async () => {
    expect(await read()).toEqual({ exchanges: [], updated_at: null });
    const facts = { source_url: 'https://a.example/faq', checked_on: '2027-02-28' };
    await importFile(app, {
      countries: [{ iso_code: 'sv', currency_code: 'USD' }],
      exchanges: [
        { name: 'Alpha', url: 'https://a.example', ...facts },
        {
          name: 'Beta',
          url: 'https://b.example',
          ...facts,
          promoted: true,
          min_transaction_sats: 1000,
          pays_lightning_invoices: true,
          lightning_deposits: true,
          payout_countries: ['sv'],
          peer_to_peer: true,
          available_worldwide: true,
          notes: 'Good',
          notes_es: 'Bueno',
          logo_url: 'https://b.example/logo.svg',
          countries: ['SV'],
        },
      ],
    });
    const { exchanges, updated_at } = await read();
    expect(updated_at).toBe(app.clock.now().toISOString());
    expect(exchanges[0]).toEqual({
      id: anId(),
      name: 'Beta',
      url: 'https://b.example',
      promoted: true,
      min_transaction_sats: 1000,
      pays_lightning_invoices: true,
      lightning_deposits: true,
      payout_countries: ['SV'],
      peer_to_peer: true,
      available_worldwide: true,
      ...facts,
      notes: 'Good',
      notes_es: 'Bueno',
      logo_url: 'https://b.example/logo.svg',
      countries: [{ id: anId(), name: 'El Salvador', iso_code: 'SV', currency_code: 'usd' }],
    });
    expect(exchanges[1]).toMatchObject({ name: 'Alpha', countries: [], payout_countries: [], notes: null });
  });

  test('keep their ids when they change, and go with --replace', async () => {
    await importFile(app, sample());
    const kraken = (await read()).exchanges.find(({ name }: { name: string }) => name === 'Kraken');
    const { exchanges } = sample();
    const changed = { ...exchanges[3], name: 'KRAKEN', notes: 'Changed' };
    expect(await importFile(app, { exchanges: [changed] })).toMatchObject({ changed: 1, removed: 0 });
    expect((await read()).exchanges).toHaveLength(5);
    expect(await importFile(app, { exchanges: [changed] }, { replace: true })).toMatchObject({
      changed: 0,
      removed: 4,
    });
    expect((await read()).exchanges).toMatchObject([{ id: kraken.id, name: 'KRAKEN', notes: 'Changed' }]);
  });
});

describe('an import', () => {
  test('of channels is idempotent, and --replace leaves merchants’ channels alone', async () => {
    const merchant = await app.newMerchant();
    await createChannel(merchant.live, { slug: 'theirs' });
    const file = { channels: [channel('one'), channel('two', { bio: 'x', social_links: { a: 'https://a.example' } })] };
    expect(await importFile(app, file)).toMatchObject({ channels: 2, changed: 2 });
    expect(await importFile(app, file)).toMatchObject({ channels: 2, changed: 0 });
    expect(await importFile(app, { channels: [channel('one')] }, { replace: true })).toMatchObject({ removed: 1 });
    const { body } = await app.stranger.get('/api/v1/pub/channels');
    expect(body.data.map(({ slug }: { slug: string }) => slug).toSorted()).toEqual(['one', 'theirs']);
    await expect(importFile(app, { channels: [channel('theirs')] })).rejects.toMatchObject({
      details: ['channels names theirs, which a merchant keeps'],
    });
  });

  test('with a fault changes nothing and names each', async () => {
    const good = { name: 'A', url: 'https://a.example', source_url: 'https://a.example', checked_on: '2027-01-01' };
    const wrong: [unknown, RegExp][] = [
      [[], /must be an object/],
      [{ exchanges: [{ ...good, url: 'a.example' }] }, /^exchanges\[0\]\.url must be an http/],
      [{ exchanges: [{ ...good, checked_on: '2027-02-30' }] }, /^exchanges\[0\]\.checked_on must be a date/],
      [{ exchanges: [{ ...good, countries: ['DE'] }] }, /^exchanges\[0\]\.countries names DE/],
      [{ exchanges: [{ ...good, countries: ['ZZ'] }] }, /^exchanges\[0\]\.countries must hold ISO/],
      [{ exchanges: [good, { ...good, name: 'a' }] }, /^exchanges has a more than once/],
      [{ exchanges: [{ name: 'A' }] }, /url is required/],
      [{ countries: [{ iso_code: 'XX', currency_code: 'usd' }] }, /^countries\[0\]\.iso_code/],
      [{ channels: [channel('Nope')] }, /^channels\[0\]\.slug must have/],
      [{ channels: [channel('one'), channel('one')] }, /^channels has one more than once/],
      [{ channels: [channel('one', { social_links: { x: 'javascript:1' } })] }, /^channels\[0\]\.social_links\.x/],
    ];
    for (const [file, sentence] of wrong) {
      const details = await importFile(app, file).then(
        () => [],
        (error) => error.details,
      );
      expect(
        details.some((detail: string) => sentence.test(detail)),
        `${sentence}: ${details}`,
      ).toBe(true);
    }
    expect(await app.rows('select id from exchanges union all select id from channels')).toEqual([]);
  });
});
