import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createProduct, createProductType, createTax } from '../../harness/catalog.ts';
import { expectError } from '../../harness/expect.ts';
import { expectLedgerToHold } from '../../harness/ledger.ts';
import { Gate, holdReads } from '../../harness/pause.ts';
import { visitorAddress } from '../../harness/visitors.ts';
import { changeWallet, testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
let merchant: TestMerchant;
beforeAll(async () => {
  app = await openTestApp();
  merchant = await app.newMerchant();
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' };
const machine = { accept: 'application/json' };
const get = (url: string, headers: Record<string, string> = browser) =>
  app.app.inject({ method: 'GET', url, headers, remoteAddress: visitorAddress(url) });

/** What the page's form or a machine sends. */
function post(
  slug: string,
  formToken?: string,
  headers: Record<string, string> = browser,
  address = visitorAddress(slug),
) {
  return app.app.inject({
    method: 'POST',
    url: `/pay/${slug}`,
    remoteAddress: address,
    headers: { ...headers, ...(formToken ? { 'content-type': 'application/x-www-form-urlencoded' } : {}) },
    ...(formToken ? { payload: `form_token=${formToken}` } : {}),
  });
}
const tokenOf = (answer: { headers: Record<string, unknown> }) => String(answer.headers.location).split('/').at(-1)!;
const counts = async () =>
  (
    await app.rows(
      'select (select count(*) from checkout_sessions) as sessions, (select count(*) from orders) as orders, (select count(*) from invoices) as invoices',
    )
  )[0];

test('a payment link hands on the language that was chosen', async () => {
  const { slug } = await createProduct(merchant.test);
  expect((await get(`/pay/${slug}?locale=fr`)).body).toContain(`action="/pay/${slug}?locale=fr"`);
  const send = (query: string) =>
    app.app.inject({
      method: 'POST',
      url: `/pay/${slug}${query}`,
      headers: browser,
      remoteAddress: visitorAddress(`${slug}${query}`),
    });
  expect((await send('?locale=fr')).headers.location).toMatch(/\/checkout\/cs_\w+\?locale=fr$/);
  for (const query of ['', '?locale=xx', '?locale=de&locale=fr']) {
    expect((await send(query)).headers.location).toMatch(/\/checkout\/cs_\w+$/);
  }
});

describe('looking at a link', () => {
  test('opens nothing, however often and in whatever form (case C067)', async () => {
    const { slug } = await createProduct(merchant.test);
    const before = await counts();
    for (let n = 0; n < 25; n++) {
      await get(`/pay/${slug}`);
      await get(`/pay/${slug}.json`);
      await get(`/pay/${slug}`, machine);
      await app.app.inject({ method: 'HEAD', url: `/pay/${slug}`, headers: browser });
    }
    expect(await counts()).toEqual(before);
  });

  test.each<[string, string, Record<string, string>, 'html' | 'json']>([
    ['a browser', '', browser, 'html'],
    ['a wildcard', '', { accept: '*/*' }, 'html'],
    ['nothing said', '', {}, 'html'],
    ['HTML first', '', { accept: 'text/html, application/json;q=0.9' }, 'html'],
    ['both alike', '', { accept: 'application/json, text/html' }, 'html'],
    ['JSON first', '', { accept: 'text/html;q=0.5, application/json' }, 'json'],
    ['JSON only', '', machine, 'json'],
    ['the suffix, whatever the browser prefers', '.json', browser, 'json'],
  ])('%s', async (_name, suffix, headers, form) => {
    const { slug } = await createProduct(merchant.test);
    const answer = await get(`/pay/${slug}${suffix}`, headers);
    expect(answer.statusCode).toBe(200);
    expect(String(answer.headers['content-type'])).toMatch(form === 'html' ? /^text\/html/ : /^application\/json/);
    expect(String(answer.headers.vary).split(', ')).toContain('accept');
  });

  test('the description has every member of the interface and any page may read it', async () => {
    const product = await createProduct(merchant.test, { name: 'Kaffee & Kuchen', price_cents: 1234, currency: 'eur' });
    const answer = await get(`/pay/${product.slug}.json`);
    expect(answer.json()).toEqual({
      object: 'payment_link',
      url: product.payment_link_url,
      name: 'Kaffee & Kuchen',
      amount_cents: 1234,
      currency: 'eur',
      formatted_amount: '€12.34',
      merchant: { name: 'Test Shop' },
      payable: true,
      payment_methods: ['lightning'],
      how_to_pay: expect.stringContaining(`POST to ${product.payment_link_url}`),
    });
    expect(product.payment_link_url).toBe(`http://127.0.0.1:3000/pay/${product.slug}`);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  test('yen have no hundredths, and tax on top is part of what is asked for', async () => {
    const yen = await createProduct(merchant.test, { price_cents: 500, currency: 'jpy' });
    expect((await get(`/pay/${yen.slug}.json`)).json()).toMatchObject({ amount_cents: 500, formatted_amount: '¥500' });
    const tax = await createTax(merchant.test, { rate: '10', inclusive: false });
    const type = await createProductType(merchant.test, { tax_ids: [tax.id] });
    const taxed = await createProduct(merchant.test, { price_cents: 1000, product_type_id: type.id });
    expect((await get(`/pay/${taxed.slug}.json`)).json().amount_cents).toBe(1100);
    const token = tokenOf(await post(taxed.slug));
    expect((await get(`/checkout/${token}`, machine)).json()).toMatchObject({ amount_cents: 1100 });
  });

  test.each([{ price_cents: 70_000, currency: 'jpy', name: 'Posters' }, { status: 'archived' }])(
    'a product that becomes %o meanwhile is told as it was at one moment',
    async (change) => {
      const { id, slug } = await createProduct(merchant.test, { price_cents: 1000, name: 'Poster' });
      const gate = new Gate();
      const held = holdReads(app.parts.db, 'merchants_find', gate);
      const looking = get(`/pay/${slug}.json`);
      await gate.reached;
      held.mockRestore();
      expect((await merchant.test.patch(`/api/v1/m/products/${id}`, { product: change })).status).toBe(200);
      gate.goOn();
      expect((await looking).json()).toMatchObject({ name: 'Poster', amount_cents: 1000, currency: 'usd' });
    },
  );

  test('inactive, archived and unknown are the same 404 in either form', async () => {
    const inactive = await createProduct(merchant.test, { status: 'inactive' });
    const archived = await createProduct(merchant.test);
    await merchant.test.delete(`/api/v1/m/products/${archived.id}`);
    const pages = new Set<string>();
    for (const slug of [inactive.slug, archived.slug, 'prod_0000000000000000', 'x', '%00', active(inactive.id)]) {
      const page = await get(`/pay/${slug}`);
      expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      pages.add(page.body.replace(/nonce="[^"]*"/g, ''));
      expect((await post(slug)).statusCode).toBe(404);
      for (const answer of [
        await get(`/pay/${slug}.json`),
        await get(`/pay/${slug}`, machine),
        await post(slug, undefined, machine),
      ]) {
        expect([answer.statusCode, answer.json().error]).toEqual([
          404,
          expect.objectContaining({ code: 'not_found', message: 'Payment link not found' }),
        ]);
      }
    }
    expect(pages.size).toBe(1);
  });
  // A product's own id is no link.
  const active = (id: string) => id;

  test('payable follows the wallets, and a link that is not payable opens nothing', async () => {
    const shop = await app.newMerchant();
    const wallet = await testWalletId(app, shop);
    const { slug } = await createProduct(shop.test, { price_cents: 500 });
    const payable = async () => (await get(`/pay/${slug}.json`)).json().payable;
    expect(await payable()).toBe(true);
    const before = await counts();
    for (const change of [
      { enabled: false },
      { max_payment_sats: 4999 },
      { min_sats: 5001 },
      { settlement_visibility: 'none' as const },
    ]) {
      await changeWallet(app, wallet, change);
      expect([change, await payable()]).toEqual([change, false]);
      const answer = await post(slug, undefined, machine);
      expect([422, 503]).toContain(answer.statusCode);
      const page = await post(slug);
      expect([422, 503]).toContain(page.statusCode);
      expect(page.body).toContain('disabled');
      await changeWallet(app, wallet, {
        enabled: true,
        max_payment_sats: null,
        min_sats: 1,
        settlement_visibility: 'proof',
      });
    }
    expect(await payable()).toBe(true);
    await app.rows(`update merchants set status = 'suspended' where id = $1`, [shop.id]);
    expect(await payable()).toBe(false);
    expect((await post(slug, undefined, machine)).statusCode).toBe(403);
    expect(await counts()).toEqual(before);
  });

  test('without a live wallet a live link says so', async () => {
    const { slug } = await createProduct(merchant.live);
    expect((await get(`/pay/${slug}.json`)).json().payable).toBe(false);
  });
});

describe('opening a checkout', () => {
  test('answers 303 to a fresh one each time, and no invoice is made before somebody looks', async () => {
    const { slug, id } = await createProduct(merchant.test, { name: 'Tea', price_cents: 700 });
    const invoices = (await counts())!.invoices;
    const answers = [await post(slug), await post(slug, undefined, machine), await post(slug, undefined, {})];
    for (const answer of answers) {
      expect(answer.statusCode).toBe(303);
      expect(answer.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:3000\/checkout\/cs_\w+$/);
    }
    expect(new Set(answers.map(tokenOf)).size).toBe(3);
    expect((await counts())!.invoices).toBe(invoices);
    const { body } = await merchant.test.get(`/api/v1/m/checkout_sessions/${tokenOf(answers[0]!)}`);
    expect(body).toMatchObject({ product_id: id, amount_cents: 700, status: 'pending' });
  });

  test('a form that is sent twice, even at once, is one checkout; another form or another link another', async () => {
    const [tea, cake] = [await createProduct(merchant.test), await createProduct(merchant.test)];
    const form = 'a'.repeat(32);
    const answers = await Promise.all([post(tea.slug, form), post(tea.slug, form), post(tea.slug, form)]);
    answers.push(await post(tea.slug, form));
    expect(new Set(answers.map(tokenOf)).size).toBe(1);
    expect(tokenOf(await post(tea.slug, 'b'.repeat(32)))).not.toBe(tokenOf(answers[0]!));
    expect(tokenOf(await post(cake.slug, form))).not.toBe(tokenOf(answers[0]!));
    // Found again in the browser's history when its checkout is over.
    app.clock.advanceSeconds(901);
    const later = tokenOf(await post(tea.slug, form));
    expect(later).not.toBe(tokenOf(answers[0]!));
    expect((await get(`/checkout/${later}/status`)).json().status).toBe('pending');
  });

  test('is paid for as a sale of the link', async () => {
    const { slug } = await createProduct(merchant.test, { price_cents: 900 });
    const token = tokenOf(await post(slug));
    await app.app.inject({ method: 'POST', url: `/checkout/${token}/simulate_payment` });
    const { order_id } = (await get(`/checkout/${token}/status`)).json();
    const sales = await merchant.test.get(`/api/v1/m/sales?q[order_id_eq]=${order_id}`);
    expect(sales.body.data).toMatchObject([{ source: 'payment_link', total_cents: 900 }]);
  });

  test('a link that ended offers a fresh checkout, one that is no longer sold does not', async () => {
    const product = await createProduct(merchant.test);
    const token = tokenOf(await post(product.slug));
    app.clock.advanceSeconds(901);
    expect((await get(`/checkout/${token}`)).body).toContain(`action="/pay/${product.slug}?`);
    await merchant.test.delete(`/api/v1/m/products/${product.id}`);
    expect((await get(`/checkout/${token}`)).body).not.toContain('action="/pay/');
  });

  test('what is free is paid at once, without a wallet', async () => {
    const shop = await app.newMerchant();
    await changeWallet(app, await testWalletId(app, shop), { enabled: false });
    const { slug } = await createProduct(shop.test, { price_cents: 0 });
    expect((await get(`/pay/${slug}.json`)).json().payable).toBe(true);
    expect((await get(`/checkout/${tokenOf(await post(slug))}/status`)).json().status).toBe('completed');
  });

  test('30 a minute from one address and no more; the merchant and other payers are not hindered', async () => {
    const shop = await app.newMerchant();
    const { slug } = await createProduct(shop.test);
    const flood = await Promise.all(Array.from({ length: 35 }, () => post(slug, undefined, machine, '203.0.113.9')));
    expect(flood.filter(({ statusCode }) => statusCode === 303)).toHaveLength(30);
    const refused = flood.find(({ statusCode }) => statusCode !== 303)!;
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const page = await post(slug, undefined, browser, '203.0.113.9');
    expect([page.statusCode, page.headers['content-type']]).toEqual([429, 'text/html; charset=utf-8']);
    expect((await post(slug, undefined, machine, '203.0.113.10')).statusCode).toBe(303);
    const own = await shop.test.post('/api/v1/checkout_sessions', { checkout_session: { amount_cents: 100 } });
    expect(own.status).toBe(201);
    app.clock.advanceSeconds(60);
    expect((await post(slug, undefined, machine, '203.0.113.9')).statusCode).toBe(303);
  });

  test('other methods are 405 and say which work', async () => {
    const { slug } = await createProduct(merchant.test);
    for (const url of [`/pay/${slug}`, '/receipts/rcp_x', '/checkout/cs_x', '/checkout/cs_x/status']) {
      const reply = await merchant.test.delete(url);
      expectError(reply, 'method_not_allowed');
      expect(reply.headers.allow).toMatch(/^GET/);
    }
  });
});
