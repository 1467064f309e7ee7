import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setMerchantStatus } from '../../../src/store/merchants.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { connect } from '../../harness/oauth.ts';
import { addUser } from '../../harness/people.ts';
import { Visitor } from '../../harness/visitor.ts';

const page = '/account/assistants';

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

/** Somebody with a place of their own, and an assistant that they connected to it. */
async function connected(mode: 'test' | 'live' = 'test', metadata: object = {}) {
  const shop = await app.newMerchant();
  const person = await addUser(app, [shop]);
  const connection = await connect(app, person, shop.id, { mode, metadata });
  const { body } = await (mode === 'test' ? shop.test : shop.live).get('/api/v1/m/oauth_connections');
  return { shop, person, ...connection, id: body.data[0].id as string };
}

async function visitorOf(person: { email: string; password: string }) {
  const visitor = new Visitor(app.app);
  await visitor.signIn(person);
  return visitor;
}

describe('the page of connected assistants', () => {
  test('shows each by its name, with what it may do, for whom, since when and when it was last used', async () => {
    const { person, client } = await connected('live', { client_name: '<b>Helper</b>' });
    await client.get('/api/v1/m/catalog');
    await app.parts.usage.flush();
    const visitor = await visitorOf(person);
    expect((await visitor.get('/account')).html).toContain(`href="${page}"`);
    const { status, html } = await visitor.get(page);
    expect(status).toBe(200);
    for (const text of [
      '&lt;b>Helper&lt;/b>',
      'Test Shop',
      'Live data',
      'See and change products, prices, product types, taxes and discounts',
      'Make payment links',
      '127.0.0.1',
    ]) {
      expect(html).toContain(text);
    }
    expect(html).not.toContain('Not yet');
    expect(html.match(/UTC/g)).toHaveLength(2);
  });

  test('gives one that has no name something to be called by, and says of one that was never used that it was not', async () => {
    const { person } = await connected('test', { client_name: undefined });
    const { html } = await (await visitorOf(person)).get(page);
    for (const text of ['Assistant without a name', 'Test data', 'Not yet']) expect(html).toContain(text);
  });

  test('disconnects one for good, at once, and the log tells who did it', async () => {
    const { shop, person, id, client, assistant, tokens } = await connected();
    expect((await client.get('/api/v1/m/catalog')).status).toBe(200);
    const visitor = await visitorOf(person);
    const ended = await visitor.submit(`${page}/${id}/end?locale=de`);
    expect([ended.status, ended.headers.location]).toEqual([303, `${page}?locale=de`]);
    expect((await client.get('/api/v1/m/catalog')).status).toBe(401);
    expect((await assistant.refresh(tokens.refresh_token)).status).toBe(400);
    expect((await visitor.get(page)).html).toContain('No assistant is connected.');
    const { html } = await visitor.get('/account');
    expect(html).toContain('No assistant is connected.');
    expect(html).not.toContain(page);
    // Twice is once.
    expect((await visitor.submit(`${page}/${id}/end`)).status).toBe(303);
    const { body } = await shop.test.get('/api/v1/m/audit_log');
    expect(body.data.filter((entry: { subject_id: string }) => entry.subject_id === id)).toMatchObject([
      { action: 'revoke_oauth_connection', actor: 'user', user_id: person.id, livemode: false },
      { action: 'create_oauth_connection', actor: 'user', user_id: person.id, livemode: false },
    ]);
  });

  test('shows a manager what others connected, also while the merchant is suspended', async () => {
    const { shop, id } = await connected();
    const manager = await addUser(app, [shop], 'manager');
    await setMerchantStatus(app.parts.db, shop.id, 'suspended', app.clock.now());
    const visitor = await visitorOf(manager);
    expect((await visitor.get(page)).html).toContain('Test Assistant');
    await visitor.submit(`${page}/${id}/end`);
    expect((await visitor.get(page)).html).not.toContain('Test Assistant');
  });

  test.each(['cashier', 'accountant'] as const)(
    'is nothing to a %s, nor to people of other merchants',
    async (role) => {
      const { shop, id, client } = await connected();
      for (const person of [await addUser(app, [shop], role), await addUser(app, [merchant])]) {
        const visitor = await visitorOf(person);
        expect((await visitor.get(page)).html).not.toContain('Test Assistant');
        expect((await visitor.submit(`${page}/${id}/end`)).status).toBe(303);
      }
      expect((await client.get('/api/v1/m/catalog')).status).toBe(200);
      const { html } = await (await visitorOf(await addUser(app, [shop], role))).get('/account');
      expect(html).not.toContain('Connected assistants');
    },
  );

  test('asks strangers to sign in, refuses forms of other sites, and takes what is no id as over', async () => {
    const { person, id, client } = await connected();
    const stranger = await new Visitor(app.app).get(page);
    expect([stranger.status, stranger.headers.location]).toEqual([
      303,
      `/sign-in?return_to=${encodeURIComponent(page)}`,
    ]);
    expect((await new Visitor(app.app).submit(`${page}/${id}/end`)).headers.location).toContain('/sign-in');
    const visitor = await visitorOf(person);
    const foreign = await visitor.submit(`${page}/${id}/end`, {}, { 'sec-fetch-site': 'cross-site' });
    expect(foreign.status).toBe(403);
    expect((await visitor.submit(`${page}/no-id/end`)).status).toBe(303);
    expect((await client.get('/api/v1/m/catalog')).status).toBe(200);
  });
});
