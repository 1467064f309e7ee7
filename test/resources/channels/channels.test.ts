import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp } from '../../harness/app.ts';
import { createChannel } from '../../harness/directory.ts';
import { anId, expectError, expectInvalid, unknownFilter } from '../../harness/expect.ts';
import { describeNounRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/channels';
let count = 0;

describeNounRefusals(() => app, {
  path,
  body: () => ({ channel: { name: 'Kitchen' } }),
  permissions: 'merchant',
  resource: 'Channel',
  make: async ({ test }) => (await createChannel(test)).id,
  makeLive: async ({ live }) => (await createChannel(live, { slug: `live-${++count}` })).id,
});

test('shows every member, and the merchant shows the channel', async () => {
  const merchant = await app.newMerchant();
  const reply = await merchant.test.post(path, {
    channel: {
      name: ' Café au Lait ',
      bio: 'Coffee & code',
      videos_count: 12,
      nsfw: false,
      theme: 'dark',
      category: ' Food ',
      profile_image_url: 'https://cdn.example/face.png',
      social_links: { nostr: 'https://njump.me/npub1' },
      country: 'sv',
      language: 'es-sv',
      currency: 'USD',
    },
  });
  expect(reply.status).toBe(201);
  expect(reply.body).toEqual({
    object: 'channel',
    livemode: false,
    id: anId(),
    merchant_id: merchant.id,
    slug: 'cafe-au-lait',
    name: 'Café au Lait',
    bio: 'Coffee & code',
    videos_count: 12,
    nsfw: false,
    theme: 'dark',
    category: 'food',
    profile_image_url: 'https://cdn.example/face.png',
    social_links: { nostr: 'https://njump.me/npub1' },
    merchant_name: 'Test Shop',
    country: 'SV',
    country_name: 'El Salvador',
    language: 'es-SV',
    currency: 'usd',
    created_at: '2027-03-01T10:00:00.000Z',
    updated_at: '2027-03-01T10:00:00.000Z',
  });
  expect((await merchant.test.get(`${path}/${reply.body.id}`)).body).toEqual(reply.body);
  expect((await merchant.test.get('/api/v1/m/merchant')).body.channels).toEqual([reply.body]);
  expect((await merchant.live.get('/api/v1/m/merchant')).body.channels).toEqual([]);
});

test('update changes what is sent and leaves the rest', async () => {
  const { test: client } = await app.newMerchant();
  const channel = await createChannel(client, { bio: 'Old', category: 'food', country: 'de' });
  const change = { name: 'New', slug: 'brand-new', bio: null, videos_count: 3, category: null };
  const reply = await client.patch(`${path}/${channel.id}`, { channel: change });
  expect(reply.body).toEqual({ ...channel, ...change, updated_at: app.clock.now().toISOString() });
  expect((await client.get(`${path}/${channel.id}`)).body).toEqual(reply.body);
});

test('a slug belongs to one live channel; a name without one gets one', async () => {
  const [merchant, other] = [await app.newMerchant(), await app.newMerchant()];
  await createChannel(merchant.live, { slug: 'taken' });
  const sentence = 'slug is taken by another channel';
  const again = { channel: { name: 'Again', slug: 'taken' } };
  expectInvalid(await other.live.post(path, again), sentence);
  expect((await other.test.post(path, again)).status).toBe(201);
  expectInvalid(await other.test.post(path, again), sentence);
  const third = await createChannel(other.live, { name: 'Taken' });
  expect(third.slug).toMatch(/^taken-[0-9a-z]{8}$/);
  expectInvalid(await other.live.patch(`${path}/${third.id}`, { channel: { slug: 'taken' } }), sentence);
  expect((await createChannel(other.live, { name: 'Łódź Bø' })).slug).toBe('lodz-bo');
  expect((await createChannel(other.live, { name: '☕' })).slug).toMatch(/^channel-[0-9a-z]{8}$/);
  const race = { channel: { name: 'Race', slug: 'race' } };
  const replies = await Promise.all([merchant.live.post(path, race), other.live.post(path, race)]);
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 422]);
});

test('bodies that are wrong change nothing', async () => {
  const { test: client } = await app.newMerchant();
  const { id } = await createChannel(client);
  const before = await app.rows('select * from channels order by id');
  expectInvalid(await client.post(path, {}), 'channel is required');
  expectInvalid(await client.post(path, { channel: {} }), 'name is required');
  const wrong: [Record<string, unknown>, string | RegExp][] = [
    [{ name: ' ' }, 'name must not be empty'],
    [{ slug: 'ab' }, 'slug must have at least 3 characters'],
    [{ slug: 'Upper' }, /^slug must have 3 to 60 lower-case/],
    [{ slug: 'two--hyphens' }, /^slug must have/],
    [{ videos_count: -1 }, 'videos_count must be at least 0'],
    [{ videos_count: '1' }, 'videos_count must be a whole number'],
    [{ nsfw: 'no' }, 'nsfw must be true or false'],
    [{ profile_image_url: 'javascript:alert(1)' }, 'profile_image_url must be an http(s) address'],
    [{ social_links: { x: 'javascript:alert(1)' } }, 'social_links.x must be an http(s) address'],
    [{ social_links: { x: 5 } }, 'social_links.x must be an http(s) address'],
    [{ social_links: [] }, 'social_links must be an object'],
    [{ country: 'XX' }, 'country must be an ISO 3166-1 code of two letters'],
    [{ country: '€€' }, 'country must be an ISO 3166-1 code of two letters'],
    [{ language: 'not a tag' }, 'language must be a BCP 47 tag, such as en or pt-BR'],
    [{ currency: 'xyz' }, 'currency must be a known currency code'],
  ];
  for (const [members, sentence] of wrong) {
    expectInvalid(await client.patch(`${path}/${id}`, { channel: members }), sentence);
  }
  expect(await app.rows('select * from channels order by id')).toEqual(before);
});

test('lists newest first, with filters, and deletes', async () => {
  const { test: client } = await app.newMerchant();
  const first = await createChannel(client, { name: 'Old', category: 'food' });
  const second = await createChannel(client, { name: 'New', nsfw: true });
  const list = async (query = '') => (await client.get(`${path}?${query}`)).body.data;
  expect(await list()).toEqual([second, first]);
  expect(await list('q[category_eq]=food')).toEqual([first]);
  expect(await list('q[nsfw_eq]=true')).toEqual([second]);
  expect(await list('q[name_cont]=ol')).toEqual([first]);
  expectInvalid(await client.get(`${path}?q=x`), unknownFilter('q'));
  expect((await client.delete(`${path}/${first.id}`)).status).toBe(204);
  expectError(await client.get(`${path}/${first.id}`), 'not_found', { message: 'Channel not found' });
  expect(await list()).toEqual([second]);
});
