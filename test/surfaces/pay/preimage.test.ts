import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { eventBodies } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { testWalletId } from '../../harness/wallets.ts';
import { LnurlServer } from '../../support/lnurl-server.ts';

// A lightning address whose provider never tells: only the payer can show that an invoice was paid.

let app: TestApp;
let server: LnurlServer;
let merchant: TestMerchant;
let walletId: string;

const silent = { callback: ({ pr, routes }: Record<string, unknown>) => ({ pr, routes }) };

beforeAll(async () => {
  app = await openTestApp();
  server = await LnurlServer.start(app.clock);
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await server.stop();
  await app.close();
});
beforeEach(async () => {
  server.behaviour = silent;
  merchant = await app.newMerchant();
  await merchant.test.patch(`/api/v1/m/wallets/${await testWalletId(app, merchant)}`, { wallet: { enabled: false } });
  const added = await merchant.test.post('/api/v1/m/wallets', {
    wallet: { connection: server.address, takes_preimages: true },
  });
  expect([added.status, added.body.operational, added.body.takes_preimages]).toEqual([201, true, true]);
  walletId = added.body.id;
});

async function openCheckout(): Promise<{ id: string; token: string; preimage: string }> {
  const { body } = await merchant.test.post('/api/v1/checkout_sessions', { checkout_session: { amount_cents: 2450 } });
  const { payment_request: bolt11 } = (await get(`/checkout/${body.token}/status`)).json();
  const { preimage } = [...server.invoices.values()].find((invoice) => invoice.bolt11 === bolt11)!;
  return { id: body.id, token: body.token, preimage };
}

const browser = { accept: 'text/html,*/*;q=0.8' };
const get = (url: string, headers: Record<string, string> = {}) => app.app.inject({ url, headers });
const sendForm = (token: string, preimage: string, query = '') =>
  app.app.inject({
    method: 'POST',
    url: `/checkout/${token}/preimage${query}`,
    headers: { ...browser, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ preimage }).toString(),
  });
const sendJson = (token: string, payload: object) =>
  app.app.inject({
    method: 'POST',
    url: `/checkout/${token}/preimage`,
    headers: { accept: 'application/json' },
    payload,
  });

describe('a payer’s preimage', () => {
  test('sent by the form of the page completes the checkout at once, and once', async () => {
    const { id, token, preimage } = await openCheckout();
    const page = await get(`/checkout/${token}?locale=en`, browser);
    expect(page.body).toContain(`action="/checkout/${token}/preimage?locale=en"`);
    // A refresh would empty the form.
    expect(page.body).not.toContain('http-equiv');
    const sent = await sendForm(token, `  ${preimage.toUpperCase()}\n`, '?locale=de');
    expect([sent.statusCode, sent.headers.location]).toEqual([303, `/checkout/${token}?locale=de`]);
    expect((await get(`/checkout/${token}/status`)).json()).toMatchObject({ status: 'completed' });
    expect((await get(`/checkout/${token}`, browser)).body).not.toContain('id="proof"');
    expect((await sendForm(token, preimage)).statusCode).toBe(303);
    const { body: payments } = await merchant.test.get('/api/v1/m/payments');
    expect(payments.data).toMatchObject([{ preimage }]);
    expect(await eventBodies(app, merchant.id, 'checkout.completed')).toMatchObject([{ checkout_id: id }]);
  });

  test('sent as JSON answers what pollers read, and the description says where to send it', async () => {
    const { token, preimage } = await openCheckout();
    const described = (await get(`/checkout/${token}`, { accept: 'application/json' })).json();
    expect(described.preimage_url).toMatch(new RegExp(`/checkout/${token}/preimage$`));
    expect(described.how_to_pay).toContain(described.preimage_url);
    const answer = await sendJson(token, { preimage });
    expect([answer.statusCode, answer.json().status]).toEqual([200, 'completed']);
    const again = await get(`/checkout/${token}`, { accept: 'application/json' });
    expect(again.json().preimage_url).toBeUndefined();
  });

  test('that proves nothing is told so in kind words, and nothing changes', async () => {
    const { token } = await openCheckout();
    const other = await openCheckout();
    for (const wrong of ['', 'abc', '00'.repeat(32), other.preimage, `${'0'.repeat(63)}g`]) {
      const page = await sendForm(token, wrong, '?locale=en');
      expect([wrong, page.statusCode]).toEqual([wrong, 422]);
      expect(page.body).toMatch(/<p class="fault" id="preimage-fault" role="alert">This does not prove a payment/);
    }
    for (const body of [{}, { preimage: null }, { preimage: 5 }, { preimage: ['a'] }, { preimage: 'x' }]) {
      const refused = await sendJson(token, body);
      expect([refused.statusCode, refused.json().error.code]).toEqual([422, 'validation_error']);
    }
    expect((await get(`/checkout/${token}/status`)).json()).toMatchObject({ status: 'pending' });
    expect((await sendForm(token, 'abc', '?locale=ar')).body).toContain('dir="rtl"');
  });

  test('is tried ten times, then waited with; the right one counts after that', async () => {
    const { token, preimage } = await openCheckout();
    for (let tries = 0; tries < 10; tries++) expect((await sendForm(token, 'ab'.repeat(32))).statusCode).toBe(422);
    const refused = await sendForm(token, preimage, '?locale=en');
    expect([refused.statusCode, Number(refused.headers['retry-after'])]).toEqual([429, 600]);
    expect(refused.body).toContain('Your payment is not lost');
    expect((await sendJson(token, { preimage })).json().error.code).toBe('rate_limited');
    // Others are not held up.
    const other = await openCheckout();
    expect((await sendForm(other.token, other.preimage)).statusCode).toBe(303);
    app.clock.advanceSeconds(601);
    expect((await sendForm(token, preimage)).statusCode).toBe(303);
  });

  test('counts after the end as a late payment', async () => {
    const { token, preimage } = await openCheckout();
    app.clock.advanceSeconds(16 * 60);
    const page = await get(`/checkout/${token}`, browser);
    expect([page.statusCode, page.body.includes('id="proof"')]).toEqual([410, true]);
    expect((await sendForm(token, preimage)).statusCode).toBe(303);
    expect((await get(`/checkout/${token}/status`)).json()).toMatchObject({ status: 'completed', paid_late: true });
  });

  test('is not asked for, and not taken, where the wallet tells or the merchant does not want it', async () => {
    const { token, preimage } = await openCheckout();
    await merchant.test.patch(`/api/v1/m/wallets/${walletId}`, { wallet: { takes_preimages: false } });
    const isRefused = async () => {
      expect((await get(`/checkout/${token}`, browser)).body).not.toContain('id="proof"');
      const json = await sendJson(token, { preimage });
      expect([json.statusCode, json.json().error.code]).toEqual([409, 'conflict']);
      const page = await sendForm(token, preimage);
      expect([page.statusCode, page.body.includes('id="proof"')]).toEqual([409, false]);
    };
    await isRefused();
    await merchant.test.patch(`/api/v1/m/wallets/${walletId}`, { wallet: { takes_preimages: true } });
    server.behaviour = {};
    const probed = await merchant.test.post(`/api/v1/m/wallets/${walletId}/probe`);
    expect(probed.body).toMatchObject({ settlement_visibility: 'proof', takes_preimages: true });
    await isRefused();
    expect((await get(`/checkout/${token}/status`)).json()).toMatchObject({ status: 'pending' });
  });

  test('of nobody: unknown checkouts are 404, other methods lead to the page or are refused', async () => {
    expect((await sendJson('cs_unknown', { preimage: 'ab'.repeat(32) })).statusCode).toBe(404);
    expect((await sendForm('cs_unknown', 'ab'.repeat(32))).statusCode).toBe(404);
    const { token } = await openCheckout();
    const got = await get(`/checkout/${token}/preimage?locale=fr`, browser);
    expect([got.statusCode, got.headers.location]).toEqual([303, `/checkout/${token}?locale=fr`]);
    expect((await app.app.inject({ method: 'PUT', url: `/checkout/${token}/preimage` })).statusCode).toBe(405);
  });
});

test('a wallet that cannot tell needs the setting to be connected, and takes no payments without it', async () => {
  const shop = await app.newMerchant();
  const connect = (members: object) =>
    shop.test.post('/api/v1/m/wallets', { wallet: { connection: server.address, ...members } });
  expect((await connect({})).status).toBe(422);
  expect((await connect({ takes_preimages: 'yes' })).status).toBe(422);
  const added = await connect({ save_unseen: true });
  expect(added.body).toMatchObject({ operational: false, settlement_visibility: 'none', takes_preimages: false });
  const changed = await shop.test.patch(`/api/v1/m/wallets/${added.body.id}`, { wallet: { takes_preimages: true } });
  expect(changed.body).toMatchObject({ operational: true, settlement_visibility: 'none', takes_preimages: true });
});
