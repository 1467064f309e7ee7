import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync } from 'node:zlib';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { hasBrowser, openBrowser, openPageServer, type PageServer } from '../harness/browser.ts';
import { createProduct } from '../harness/catalog.ts';
import { addWallet, changeWallet, testWalletId } from '../harness/wallets.ts';
import { LnurlServer } from '../support/lnurl-server.ts';
import { axeFaults, type PageWatch, readQr, watchPage } from './page-checks.ts';

/** From settlement to the new screen. */
const turnMillis = 1000;
const tries = 5;

describe.runIf(hasBrowser())('a checkout in a browser', () => {
  let app: TestApp;
  let merchant: TestMerchant;
  let browser: Browser;
  let shop: PageServer;
  let base: string;
  const contexts: BrowserContext[] = [];
  const watches: PageWatch[] = [];

  beforeAll(async () => {
    const port = await freePort();
    base = `http://127.0.0.1:${port}`;
    [app, browser, shop] = await Promise.all([
      openTestApp({ env: { PUBLIC_URL: base } }),
      openBrowser(),
      openPageServer(),
    ]);
    await app.app.listen({ host: '127.0.0.1', port });
    merchant = await app.newMerchant();
    for (const path of ['/done', '/cart'])
      shop.show(path, () => `<!doctype html><title>${path}</title><h1>${path}</h1>`);
  });
  // A page that is left open goes on drawing and asking, which the next test pays for.
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    const faults = watches.splice(0).flatMap((watch) => watch.faults);
    expect(faults.filter((fault) => !fault.startsWith('host: '))).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
    await shop?.close();
  });

  async function createSession(members: Record<string, unknown> = {}, of = merchant) {
    const { status, body } = await of.test.post('/api/v1/m/checkout_sessions', {
      checkout_session: {
        amount_cents: 2450,
        success_url: `${shop.url}/done?order=7`,
        cancel_url: `${shop.url}/cart`,
        ...members,
      },
    });
    expect([status, body.error]).toEqual([201, undefined]);
    return { ...body, path: `${base}/checkout/${body.token}` } as { id: string; token: string; path: string };
  }

  async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({
      viewport: { width: 390, height: 844 },
      locale: 'en-US',
      reducedMotion: 'reduce',
      ...options,
    });
    contexts.push(context);
    const page = await context.newPage();
    watches.push(await watchPage(page, base));
    return page;
  }

  // From outside, as a wallet would.
  async function pay(token: string): Promise<void> {
    const answer = await app.app.inject({ method: 'POST', url: `/checkout/${token}/simulate_payment` });
    expect(answer.statusCode).toBe(200);
  }

  const titleShown = (page: Page, text: string) =>
    page.locator('#title', { hasText: text }).waitFor({ timeout: 10_000 });
  /** A look at the wallet that is under way plans the next one by the clock it finds, so one step could come too early. */
  const timePassesUntil = async (page: Page, text: string) => {
    const passing = setInterval(() => app.clock.advanceSeconds(3), 200);
    await titleShown(page, text).finally(() => clearInterval(passing));
  };

  test('turns to paid, says so, and leads to the success address once', async () => {
    const session = await createSession();
    const page = await newPage({ reducedMotion: 'no-preference' });
    const watch = await watchPage(page, base);
    await page.goto(`${shop.url}/cart`);
    watch.faults.length = 0;
    await openLive(page, session.path);
    await pay(session.token);
    await titleShown(page, 'Payment complete');
    await page.waitForFunction(() => document.activeElement?.id === 'title');
    expect(await page.locator('#live').textContent()).toBe('Payment complete');
    expect(await page.title()).toBe('Payment complete · Test Shop');
    expect(await page.locator('#invoice').count()).toBe(0);
    expect(await page.locator('#returning').isVisible()).toBe(true);
    expect(watch.faults).toEqual([]);
    await page.waitForURL(`${shop.url}/done?order=7&checkout_id=${session.id}`, { timeout: 6000 });
    await page.goBack();
    expect(page.url()).toBe(`${shop.url}/cart`);
    const read = await merchant.test.get(`/api/v1/checkout_sessions/${session.id}`);
    expect(read.body.status).toBe('completed');
  });

  test('turns within a second of settlement', async () => {
    const page = await newPage();
    const millis: number[] = [];
    // A machine that does other things may be late, but not each time.
    for (let turn = 0; turn < tries && !millis.some((one) => one <= turnMillis); turn++) {
      const session = await createSession({ success_url: null });
      await openLive(page, session.path);
      await pay(session.token);
      const start = performance.now();
      await titleShown(page, 'Payment complete');
      millis.push(performance.now() - start);
    }
    expect(Math.min(...millis)).toBeLessThanOrEqual(turnMillis);
  });

  test('shows the very invoice as a code, and axe finds nothing on the real page', async () => {
    const session = await createSession();
    const page = await newPage();
    await page.goto(session.path);
    const invoice = await page.locator('#invoice').inputValue();
    expect(await readQr(page.locator('.qr'))).toBe(`LIGHTNING:${invoice.toUpperCase()}`);
    expect(await axeFaults(page)).toEqual([]);
  });

  test('is one answer of at most 10 kB in brotli', async () => {
    const session = await createSession();
    const answer = await app.app.inject({
      url: `/checkout/${session.token}`,
      headers: { accept: 'text/html', 'accept-encoding': 'gzip, br' },
    });
    expect(answer.headers).toMatchObject({
      'content-encoding': 'br',
      vary: expect.stringContaining('accept-encoding'),
    });
    expect(answer.rawPayload.length).toBeLessThan(10_000);
    expect(brotliDecompressSync(answer.rawPayload).toString()).toContain('</html>');
    const page = await newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url().slice(session.path.length)));
    await page.goto(session.path);
    await page.locator('#copy').waitFor();
    expect(asked.filter((end) => end !== '/events')).toEqual(['']);
  });

  test('without a script the form pays, and a reload tells', async () => {
    const session = await createSession();
    const page = await newPage({ javaScriptEnabled: false });
    await page.goto(session.path);
    await page.locator('#simulate button').click();
    await titleShown(page, 'Payment complete');
    expect(page.url()).toBe(`${session.path}?locale=en`);
    expect(await page.locator('#continue').getAttribute('href')).toContain(`checkout_id=${session.id}`);
    await page.locator('a', { hasText: 'View receipt' }).click();
    expect(await page.locator('.watermark').getAttribute('data-text')).toBe('Test, not a real payment');
  });

  test('the button of test mode pays in place', async () => {
    const session = await createSession({ success_url: null });
    const page = await newPage();
    await page.goto(session.path);
    await page.locator('#simulate button').click();
    await titleShown(page, 'Payment complete');
    expect(await page.locator('#returning').count()).toBe(0);
  });

  test('a second tab and a reload show what the server knows', async () => {
    const session = await createSession({ success_url: null });
    const [one, other] = [await newPage(), await newPage()];
    await Promise.all([openLive(one, session.path), openLive(other, session.path)]);
    expect(await one.locator('#invoice').inputValue()).toBe(await other.locator('#invoice').inputValue());
    await pay(session.token);
    await Promise.all([titleShown(one, 'Payment complete'), titleShown(other, 'Payment complete')]);
    await one.reload();
    await titleShown(one, 'Payment complete');
  });

  test('with streams refused it polls; cut off it says so and keeps the code', async () => {
    const session = await createSession({ success_url: null });
    const page = await newPage();
    await page.route('**/events', (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto(session.path);
    await page.context().setOffline(true);
    await page.locator('#offline').waitFor({ state: 'visible', timeout: 6000 });
    expect(await page.locator('.qr').isVisible()).toBe(true);
    expect(await page.locator('#live').textContent()).toBe('Connection lost. Trying again…');
    await pay(session.token);
    await page.context().setOffline(false);
    await titleShown(page, 'Payment complete');
    expect(await page.locator('#live').textContent()).toBe('Payment complete');
  });

  test('at the end of its time it waits for an answer before it asks again', async () => {
    const session = await createSession({ success_url: null });
    const page = await newPage();
    await page.addInitScript(() => {
      const now = performance.now.bind(performance);
      performance.now = () => now() + ((window as unknown as { later?: number }).later ?? 0);
    });
    // A stream would tell the time anew.
    await page.route('**/events', (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto(session.path);
    let asked = 0;
    await page.route('**/status', async (route) => {
      asked += 1;
      await sleep(3000);
      await route.abort().catch(() => {});
    });
    await page.evaluate(() => Object.assign(window, { later: 16 * 60_000 }));
    await sleep(2500);
    expect(asked).toBe(1);
  });

  test('another amount is told, and leaves the payer where they are', async () => {
    const session = await createSession();
    const page = await newPage();
    await openLive(page, session.path);
    await page.locator('.details summary').click();
    await page.locator('#copy').focus();
    const { body } = await merchant.test.get(`/api/v1/checkout_sessions/${session.id}`);
    await merchant.test.patch(`/api/v1/m/orders/${body.order_id}`, { order: { total_amount_cents: 9900 } });
    await page.locator('.summary .price', { hasText: '$99.00' }).waitFor({ timeout: 10_000 });
    await page.waitForFunction(() => document.getElementById('live')!.textContent);
    expect(await page.locator('#live').textContent()).toBe('Pay Test Shop · $99.00');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('copy');
    expect(await page.locator('.details .sum').isVisible()).toBe(true);
  });

  test('who comes back to the page finds the state at once', async () => {
    const session = await createSession({ success_url: null });
    const page = await newPage();
    await page.route('**/events', (route) => route.fulfill({ status: 503, body: '' }));
    await page.goto(session.path);
    await setHidden(page, true);
    await pay(session.token);
    await sleep(300);
    expect(await page.locator('#invoice').count()).toBe(1);
    await setHidden(page, false);
    await titleShown(page, 'Payment complete');
  });

  test('the countdown is the server’s, whatever the payer’s clock and zone say (case C065)', async () => {
    const session = await createSession();
    for (const hours of [-3, 3]) {
      const page = await newPage({ timezoneId: 'Pacific/Kiritimati' });
      await page.addInitScript((shift) => {
        const now = Date.now.bind(Date);
        Date.now = () => now() + shift;
      }, hours * 3_600_000);
      await page.goto(session.path);
      expect(await page.locator('#countdown').textContent()).toMatch(/^1[45]:\d\d$/);
    }
  });

  test('copying gives the whole invoice, tells it, and takes the word back; a refusal has a way out', async () => {
    const session = await createSession();
    const page = await newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(session.path);
    const button = page.locator('#copy');
    await button.click();
    await button.click();
    expect(await button.textContent()).toBe('Copied');
    const marks = () => button.locator('.icon').evaluateAll((all) => all.map((one) => one.checkVisibility()));
    expect(await marks()).toEqual([false, true]);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await page.locator('#invoice').inputValue());
    await page.locator('#copy', { hasText: /^Copy$/ }).waitFor({ timeout: 5000 });
    expect(await marks()).toEqual([true, false]);
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));
      document.execCommand = () => false;
    });
    await button.click();
    expect(await page.locator('#live').textContent()).toBe('Select the text and copy it');
    expect(await page.evaluate(() => getSelection()?.toString())).toMatch(/^lnbcrt/);
  });

  test('a wallet in the browser is offered only where there is one, and gets the invoice', async () => {
    const session = await createSession();
    const page = await newPage();
    await page.goto(session.path);
    expect(await page.locator('#browser-wallet').isVisible()).toBe(false);
    await page.addInitScript(() => {
      Object.assign(window, {
        webln: {
          enable: async () => undefined,
          sendPayment: async (invoice: string) => Object.assign(window, { sent: invoice }),
        },
      });
    });
    await page.reload();
    await page.locator('#browser-wallet').click();
    const sent = await page.evaluate(() => (window as unknown as { sent: string }).sent);
    expect(sent).toBe(await page.locator('#invoice').inputValue());
    // Turned down by the payer: everything is as before.
    await page.evaluate(() => {
      const { webln } = window as unknown as { webln: { sendPayment: () => Promise<never> } };
      webln.sendPayment = () => Promise.reject(new Error('no'));
    });
    await page.locator('#browser-wallet').click();
    await page.locator('#browser-wallet:not(.busy)').waitFor();
    expect(await page.locator('.qr').isVisible()).toBe(true);
  });

  test('money that is under way shows as detected, then as paid; of two changes at once the last is shown', async () => {
    const own = await app.newMerchant();
    await changeWallet(app, await testWalletId(app, own), { enabled: false });
    // Its invoices read as held from the first look on, until they are paid.
    await addWallet(app, own, { settings: { hold: true } });
    const page = await newPage();
    for (const waits of [true, false]) {
      const session = await createSession({ success_url: null }, own);
      await openLive(page, session.path);
      if (waits) {
        await timePassesUntil(page, 'Payment detected');
        expect([await page.locator('.qr').count(), await page.locator('#continue').count()]).toEqual([0, 0]);
      }
      await pay(session.token);
      await titleShown(page, 'Payment complete');
    }
  });

  test('a stream that ends, then a server that is away for a while, are got over', async () => {
    const session = await createSession({ success_url: null });
    const page = await newPage();
    let asked = 0;
    await page.route('**/events', (route) => {
      asked += 1;
      if (asked === 1) {
        return route.fulfill({ contentType: 'text/event-stream', body: 'retry: 50\n\n' });
      }
      return asked < 4 ? route.abort('connectionrefused') : route.continue();
    });
    const restored = page.waitForResponse(async (answer) => answer.url().endsWith('/events') && asked >= 4);
    await page.goto(session.path);
    await restored;
    await pay(session.token);
    await titleShown(page, 'Payment complete');
  });

  test('a change whose page could not be fetched is shown a moment later, not with the next look', async () => {
    const session = await createSession({ success_url: null });
    const page = await newPage();
    await openLive(page, session.path);
    let fetched = 0;
    await page.route(`**${new URL(session.path).pathname}`, (route) => {
      fetched += 1;
      return fetched === 1 ? route.abort('connectionreset') : route.continue();
    });
    await pay(session.token);
    await titleShown(page, 'Payment complete');
    expect(fetched).toBeGreaterThan(1);
  });

  test('where the shop’s wallet does not tell, the proof that the payer’s wallet got is shown instead', async () => {
    const provider = await LnurlServer.start(app.clock);
    provider.behaviour = { callback: ({ pr, routes }) => ({ pr, routes }) };
    try {
      const own = await app.newMerchant();
      await changeWallet(app, await testWalletId(app, own), { enabled: false });
      const wallet = { connection: provider.address, takes_preimages: true };
      expect((await own.test.post('/api/v1/m/wallets', { wallet })).status).toBe(201);
      const page = await newPage();
      const session = await createSession({ success_url: null }, own);
      await openLive(page, session.path);
      expect(await axeFaults(page)).toEqual([]);
      await page.locator('#preimage').fill('ab'.repeat(32));
      await page.locator('#proof button').click();
      await page.locator('#preimage-fault', { hasText: 'does not prove' }).waitFor();
      await page.locator('#preimage').fill(provider.lastInvoice.preimage);
      await page.locator('#preimage').press('Enter');
      await titleShown(page, 'Payment complete');
      // Who types while time runs out has not typed for nothing.
      const late = await createSession({ success_url: null }, own);
      await openLive(page, late.path);
      await page.locator('#preimage').fill(provider.lastInvoice.preimage);
      app.clock.advanceSeconds(16 * 60);
      await titleShown(page, 'This checkout has expired');
      expect(await page.locator('#preimage').inputValue()).toBe(provider.lastInvoice.preimage);
      await page.locator('#preimage').press('Enter');
      await titleShown(page, 'Your payment arrived late');
      // A wallet in the browser hands the proof over by itself.
      const next = await createSession({ success_url: null }, own);
      await page.goto(next.path);
      const { preimage } = provider.lastInvoice;
      await page.evaluate(
        (proof) => Object.assign(window, { webln: { sendPayment: async () => ({ preimage: proof }) } }),
        preimage,
      );
      await page.locator('#browser-wallet').click();
      await titleShown(page, 'Payment complete');
    } finally {
      await provider.stop();
    }
  });

  test('by keyboard alone: skip link, code, buttons, language', async () => {
    const session = await createSession();
    const page = await newPage();
    await page.goto(session.path);
    const order: string[] = [];
    for (let step = 0; step < 8; step++) {
      await page.keyboard.press('Tab');
      order.push(
        await page.evaluate(() => {
          const { className, id, tagName } = document.activeElement as HTMLElement;
          return id || className || tagName;
        }),
      );
    }
    expect(order[0]).toBe('skip');
    expect(order[1]).toBe('qr');
    expect(order).toEqual(expect.arrayContaining(['invoice', 'copy', 'button open']));
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement!).outlineWidth);
    expect(outline).toBe('3px');
    await page.locator('.languages > button').press('Enter');
    await page.locator('#languages button[value=de]').press('Enter');
    await titleShown(page, 'Mit Lightning-Wallet scannen');
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
  });

  test('an expired one leads back to the shop and never to the success address; a late payment is told', async () => {
    const session = await createSession();
    const page = await newPage();
    await openLive(page, session.path);
    app.clock.advanceSeconds(16 * 60);
    await titleShown(page, 'This checkout has expired');
    const links = await page.locator('main a').evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    expect(links).toEqual([`${shop.url}/cart`]);
    expect((await page.reload())?.status()).toBe(410);
    const [invoice] = await app.rows<{ id: string }>(
      'select i.id from invoices i join checkout_sessions s on s.order_id = i.order_id where s.id = $1',
      [session.id],
    );
    await merchant.test.post(`/api/v1/m/invoices/${invoice!.id}/simulate_payment`);
    await page.reload();
    await titleShown(page, 'Your payment arrived late');
    expect(await page.locator('#continue').count()).toBe(1);
    expect(await page.locator('#returning').count()).toBe(0);
  });

  test('a payment link: looking opens nothing, the button does, and an expired checkout offers a fresh one', async () => {
    const product = await createProduct(merchant.test, { name: 'Guide <b>to</b> tea', price_cents: 500 });
    const page = await newPage({ javaScriptEnabled: false });
    await page.goto(`${base}/pay/${product.slug}`);
    expect(await page.locator('h1').textContent()).toBe('Guide <b>to</b> tea');
    expect(await page.locator('meta[property="og:title"]').getAttribute('content')).toBe('Guide <b>to</b> tea · $5.00');
    await page.locator('form[method=post] button').click();
    await titleShown(page, 'Scan with a Lightning wallet');
    const first = page.url();
    expect(first).toMatch(/\/checkout\/cs_/);
    app.clock.advanceSeconds(16 * 60);
    await page.reload();
    await page.locator('button', { hasText: 'Get a new invoice' }).click();
    await titleShown(page, 'Scan with a Lightning wallet');
    expect(page.url()).not.toBe(first);
  });

  test('in a frame it tells the shop’s page what happens, and nobody else', async () => {
    const own = await app.newMerchant();
    await own.test.patch('/api/v1/m/merchant', { merchant: { allowed_origins: [shop.url] } });
    const session = await createSession({ checkout_mode: 'iframe' }, own);
    frameShop('/shop', `<div data-checkout="${session.path}"></div>`);
    const page = await newPage({ viewport: { width: 800, height: 900 } });
    await page.goto(`${shop.url}/shop`);
    const frame = page.frameLocator('iframe');
    await frame.locator('#title').waitFor({ timeout: 5000 });
    expect(await frame.locator('.card .price').textContent()).toContain('$24.50');
    await page.waitForFunction(() => document.querySelector('iframe')!.style.height !== '680px');
    await pay(session.token);
    await frame.locator('#title', { hasText: 'Payment complete' }).waitFor({ timeout: 3000 });
    await page.waitForFunction(() => (window as unknown as Heard).heard.includes('paid'));
    expect(page.url()).toBe(`${shop.url}/shop`);
    expect(await frame.locator('#continue').getAttribute('target')).toBe('_top');
    // Another origin is not in the list: the browser shows nothing of it.
    const stranger = await openPageServer();
    try {
      stranger.handle('/', (_request, response) => {
        response.setHeader('content-type', 'text/html');
        response.end(`<iframe src="${session.path}?origin=${stranger.url}"></iframe>`);
      });
      const other = await newPage();
      await other.goto(stranger.url);
      await sleep(300);
      expect(await other.frameLocator('iframe').locator('#title').count()).toBe(0);
      expect(watches.pop()!.faults).toContainEqual(expect.stringContaining('frame-ancestors'));
    } finally {
      await stranger.close();
    }
  });

  test('pay.js opens a checkout from a button, in the page or in its place', async () => {
    const own = await app.newMerchant();
    await own.test.patch('/api/v1/m/merchant', { merchant: { allowed_origins: [shop.url] } });
    const product = await createProduct(own.test, { name: 'Tea', price_cents: 700 });
    const key = own.publishable.key!;
    const buttons =
      `<button id="frame" data-product="${product.slug}" data-key="${key}" data-mode="iframe" data-order-ref="A 1">Pay</button>` +
      `<button id="go" data-amount="900" data-currency="usd" data-key="${key}" data-order-ref="A 2">Pay</button>` +
      `<button id="bad" data-amount="900" data-key="pk_test_wrong" data-order-ref="A 3">Pay</button>`;
    frameShop('/buttons', `${buttons}<script src="${base}/js/pay.js"></script>`);
    const page = await newPage({ viewport: { width: 800, height: 900 } });
    const told: string[] = [];
    page.on('console', (message) => told.push(message.text()));
    await page.goto(`${shop.url}/buttons`);
    await page.locator('#bad').click();
    await page.waitForFunction(() => (window as unknown as Heard).heard.includes('error'));
    expect(told).toContainEqual(expect.stringMatching(/^Satline checkout: .*key/));
    await page.locator('#frame').click();
    await page.frameLocator('dialog iframe').locator('.card .price', { hasText: '$7.00' }).waitFor({ timeout: 5000 });
    expect(await page.getByRole('dialog', { name: 'Checkout' }).count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached', timeout: 3000 });
    await page.locator('#go').click();
    await page.waitForURL(/\/checkout\/cs_/, { timeout: 5000 });
    expect(await page.locator('.summary .price').textContent()).toContain('$9.00');
  });

  test('says so when nothing can take the amount', async () => {
    const own = await app.newMerchant();
    await changeWallet(app, await testWalletId(app, own), { enabled: false });
    const page = await newPage();
    const { path } = await createSession({}, own);
    await page.goto(`${path}?locale=de`);
    await titleShown(page, 'Diese Zahlung ist gerade nicht möglich');
    await page.locator('main a', { hasText: 'Erneut versuchen' }).click();
    await titleShown(page, 'Diese Zahlung ist gerade nicht möglich');
    expect(
      await page.locator('main a').evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href)),
    ).toEqual([`${path}?locale=de`, `${shop.url}/cart`]);
  });

  /** A page of the shop that loads embed.js and notes what it hears. */
  function frameShop(path: string, body: string): void {
    shop.handle(path, (_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<!doctype html><title>Shop</title><body>${body}<script>window.heard=[];` +
          `for(const type of ['ready','detected','paid','expired','error'])addEventListener('checkout:'+type,()=>heard.push(type))` +
          `</script><script src="${base}/js/embed.js"></script>`,
      );
    });
  }
});

interface Heard {
  heard: string[];
}

/** Opens a checkout and waits until it hears from the server. */
async function openLive(page: Page, url: string): Promise<void> {
  const stream = page.waitForResponse((response) => response.url().endsWith('/events'));
  await page.goto(url);
  await stream;
}

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
    document.dispatchEvent(new Event('visibilitychange'));
  }, isHidden);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
