import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { CheckoutView } from '../../src/model/checkout-view.ts';
import { busyPage } from '../../src/surfaces/pages/busy-page.tsx';
import type { Theme } from '../../src/surfaces/pages/colours.ts';
import type { Language } from '../../src/surfaces/pages/language.ts';
import { themeStyle } from '../../src/surfaces/pages/theme-style.ts';
import { renderCheckoutPage } from '../../src/surfaces/pay/pages/checkout-page.tsx';
import { renderMissingPage } from '../../src/surfaces/pay/pages/missing-page.tsx';
import { renderPaymentLinkPage } from '../../src/surfaces/pay/pages/payment-link-page.tsx';
import { renderReceiptPage } from '../../src/surfaces/pay/pages/receipt-page.tsx';
import { hasBrowser, openBrowser, openPageServer, type PageServer } from '../harness/browser.ts';
import { checkoutView, exampleBolt11, paymentLinkView, receiptView } from '../harness/page-views.ts';
import { soak } from '../storms/seeds.ts';
import {
  axeFaults,
  brokenWords,
  excessPixels,
  faultsAtWidths,
  type PageWatch,
  readQr,
  rulesFor,
  watchPage,
  widths,
} from './page-checks.ts';

const themes = ['light', 'dark'] as const;
const states: Record<string, Partial<CheckoutView>> = {
  pending: {},
  test: { livemode: false },
  held: { state: 'held' },
  paid: { state: 'paid' },
  'paid late': { state: 'paid_late' },
  expired: { state: 'expired', paymentLinkSlug: 'prod_0123456789abcdef' },
  cancelled: { state: 'cancelled' },
  unpayable: { state: 'unpayable' },
};
/** Where the rules of the theme end and those of every page begin. */
const afterTheme = '*,::before';
const hardAccents = ['#ffd60a', '#ffffff', '#000000'];

describe.runIf(hasBrowser())('what payers see', () => {
  let browser: Browser;
  let server: PageServer;
  let context: BrowserContext;
  let page: Page;
  let watch: PageWatch;

  beforeAll(async () => {
    [browser, server] = await Promise.all([openBrowser(), openPageServer()]);
    context = await browser.newContext({ reducedMotion: 'reduce' });
    page = await context.newPage();
    watch = await watchPage(page, server.url);
    // A stream on which nothing happens: a page without one says after a while that it is cut off.
    server.handle('/checkout/cs_example/events', (_request, response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.write(': open\n\n');
    });
    server.handle('/done', (_request, response) => void response.writeHead(204).end());
  });
  // Of every page that was opened: no refusal by the policy, no error of a script, no other host.
  afterEach(() => expect(watch.faults.splice(0)).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  // A paid page leads away after a while, which would be in the middle of a look: there it gets nothing, and stays.
  const checkout = (view: CheckoutView, language: Language = 'en') =>
    server.show('/', (nonce) =>
      renderCheckoutPage({ ...view, redirectUrl: view.redirectUrl && `${server.url}/done` }, { nonce, language }),
    );
  const open = async (on = page) => void (await on.goto(server.url, { waitUntil: 'commit' }));

  async function faultsOf(theme: (typeof themes)[number] = 'light'): Promise<string[]> {
    await open();
    return faultsAtWidths(page, rulesFor(theme));
  }

  /** Of the page that is open; on a screen, and at every width in the soak. */
  async function faultsInHardAccents(theme: Theme): Promise<string[]> {
    const faults: string[] = [];
    for (const width of soak ? widths : [1280]) {
      await page.setViewportSize({ width, height: 844 });
      for (const accent of hardAccents) {
        await useAccent(theme, accent);
        for (const fault of await axeFaults(page, 'colours')) faults.push(`${width} ${accent}: ${fault}`);
      }
    }
    return faults;
  }

  /** Nothing of a page but the first rules of its style sheet depends on the accent. */
  async function useAccent(theme: Theme, accent?: string): Promise<void> {
    const isThere = await page.evaluate(
      ([own, next]) => {
        const sheet = document.querySelector('style')!;
        const text = sheet.textContent!;
        sheet.textContent = next! + text.slice(text.indexOf(own!) + own!.length);
        return text.startsWith(':root{') && text.includes(own!);
      },
      [afterTheme, themeStyle(theme, accent) + afterTheme],
    );
    if (!isThere) throw new Error('The style sheet of a page does not begin with its theme any more');
  }

  test('axe finds what is wrong: the proof that it looks', async () => {
    server.show(
      '/',
      () => '<!doctype html><html lang="en"><title>x</title><main><h1>x</h1><p id="pale">pale</p></main>',
    );
    await open();
    await page.evaluate(() => {
      Object.assign(document.getElementById('pale')!.style, { color: '#999', background: '#fff' });
    });
    expect(await axeFaults(page)).toEqual([expect.stringContaining('color-contrast')]);
  });

  for (const theme of themes) {
    for (const [name, change] of Object.entries(states)) {
      test(`axe finds nothing: ${name}, ${theme}, all accents`, async () => {
        checkout(checkoutView({ ...change, theme }));
        expect([...(await faultsOf(theme)), ...(await faultsInHardAccents(theme))]).toEqual([]);
      });
    }
    test(`axe finds nothing on payment link, receipt, busy and missing page, ${theme}`, async () => {
      const pages: ((nonce: string) => string)[] = [
        (nonce) => renderPaymentLinkPage(paymentLinkView({ theme }), { nonce, language: 'en' }),
        (nonce) =>
          renderPaymentLinkPage(paymentLinkView({ theme, payable: false, livemode: false }), { nonce, language: 'de' }),
        (nonce) => renderReceiptPage(receiptView({ theme }), { nonce, language: 'en' }),
        (nonce) => renderReceiptPage(receiptView({ theme, livemode: false }), { nonce, language: 'en' }),
        (nonce) =>
          renderReceiptPage(receiptView({ theme, livemode: false, status: 'refunded' }), { nonce, language: 'ar' }),
        (nonce) => renderMissingPage({ nonce, language: 'fr' }),
      ];
      const showBusy = () =>
        server.handle('/', (_request, response) => {
          const { headers, html } = busyPage('es');
          response.writeHead(429, headers).end(html);
        });
      await page.emulateMedia({ colorScheme: theme });
      for (const show of [...pages.map((render) => () => server.show('/', render)), showBusy]) {
        show();
        expect(await faultsOf(theme)).toEqual([]);
      }
    });
    test(`the code can be read from the screen, ${theme}`, async () => {
      checkout(checkoutView({ theme }));
      await open();
      for (const width of [320, 390, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        expect(await readQr(page.locator('.qr'))).toBe(`LIGHTNING:${exampleBolt11.toUpperCase()}`);
      }
    });
  }

  test('follows the device where the theme is auto', async () => {
    checkout(checkoutView({ theme: 'auto' }));
    await open();
    const ground = async (colorScheme: 'light' | 'dark') => {
      await page.emulateMedia({ colorScheme });
      return page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    };
    expect([await ground('light'), await ground('dark')]).toEqual(['rgb(245, 246, 248)', 'rgb(14, 16, 20)']);
  });

  test('Arabic runs from right to left, with figures and invoice from left to right', async () => {
    checkout(checkoutView({ merchant: { name: 'مقهى الشمال', logoUrl: null, timeZone: 'UTC' } }), 'ar');
    expect(await faultsOf()).toEqual([]);
    const box = async (place: string) => (await page.locator(place).boundingBox())!;
    expect((await box('.card')).x).toBeLessThan((await box('.merchant')).x);
    expect((await box('#copy')).x).toBeLessThan((await box('#invoice')).x);
    expect(await page.locator('.summary .price bdi').first().textContent()).toBe('24.50\u00a0US$');
    expect(await page.evaluate(() => getComputedStyle(document.querySelector('#invoice')!).direction)).toBe('ltr');
  });

  test('long names, many lines and large amounts stay inside', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => ({
      name: `Donaudampfschifffahrtsgesellschaftskapitänspatent ${index}`,
      qty: 12,
      price_cents: 123_456_789,
    }));
    const merchant = { name: 'x'.repeat(120), logoUrl: null, timeZone: 'UTC' };
    checkout(checkoutView({ lines, merchant, amountCents: 98_765_432_100, currency: 'kwd', livemode: false }));
    expect(await faultsOf()).toEqual([]);
  });

  test('an amount stays on one line on a small phone, in a payment link too', async () => {
    await page.setViewportSize({ width: 320, height: 844 });
    for (const [amountCents, currency] of [
      [1_320_987, 'kwd'],
      [1_500_000_000, 'idr'],
    ] as const) {
      const change = { amountCents, currency };
      const places: [place: string, render: (nonce: string) => string][] = [
        ['.amount bdi', (nonce) => renderPaymentLinkPage(paymentLinkView(change), { nonce, language: 'de' })],
        ['.price bdi', (nonce) => renderCheckoutPage(checkoutView(change), { nonce, language: 'de' })],
      ];
      for (const [place, render] of places) {
        server.show('/', render);
        await open();
        const lines = await page
          .locator(place)
          .first()
          .evaluate((one) => one.getClientRects().length);
        expect([place, currency, lines]).toEqual([place, currency, 1]);
      }
    }
  });

  test('at twice the text size nothing sticks out, and no word is broken', async () => {
    for (const [width, render] of [
      [640, (nonce) => renderCheckoutPage(checkoutView(), { nonce, language: 'en' })],
      [390, (nonce) => renderCheckoutPage(checkoutView(), { nonce, language: 'en' })],
      [390, (nonce) => renderReceiptPage(receiptView(), { nonce, language: 'en' })],
      [320, (nonce) => renderReceiptPage(receiptView(), { nonce, language: 'de' })],
    ] satisfies [width: number, render: (nonce: string) => string][]) {
      server.show('/', render);
      await page.setViewportSize({ width, height: 844 });
      await open();
      await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
      expect([await excessPixels(page), await brokenWords(page)]).toEqual([0, []]);
    }
  });

  test('at twice the text size on a small phone the invoice keeps room beside or above its button', async () => {
    checkout(checkoutView(), 'de');
    await page.setViewportSize({ width: 320, height: 844 });
    await open();
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
    const [row, field, copy] = await Promise.all(
      ['.row', '#invoice', '#copy'].map(async (place) => (await page.locator(place).boundingBox())!),
    );
    expect(field!.width).toBeGreaterThan(100);
    expect(copy!.x + copy!.width).toBeLessThanOrEqual(row!.x + row!.width);
  });

  test('a name that is one long word does not widen the page', async () => {
    const name = 'Donaudampfschifffahrtsgesellschaftskapitänsmütze';
    const lines = [{ name, qty: 1, price_cents: 1800 }];
    for (const render of [
      (nonce) => renderCheckoutPage(checkoutView({ lines }), { nonce, language: 'en' }),
      (nonce) => renderReceiptPage(receiptView({ discountCents: 100, discountName: name }), { nonce, language: 'en' }),
    ] satisfies ((nonce: string) => string)[]) {
      server.show('/', render);
      await page.setViewportSize({ width: 320, height: 844 });
      await open();
      await page.evaluate(() => document.querySelector('details.details')?.setAttribute('open', ''));
      expect(await excessPixels(page)).toBe(0);
    }
  });

  test('a long amount goes below its name and breaks no word of it', async () => {
    const change = { subtotalCents: 98_765_432_100, totalCents: 98_765_432_100, currency: 'idr' };
    server.show('/', (nonce) => renderReceiptPage(receiptView(change), { nonce, language: 'de' }));
    expect(await faultsOf()).toEqual([]);
  });

  test('the menu of languages stays on a small phone, whichever way one reads', async () => {
    for (const language of ['en', 'ar'] as const) {
      server.show('/', (nonce) => renderReceiptPage(receiptView(), { nonce, language }));
      await page.setViewportSize({ width: 320, height: 844 });
      await open();
      await page.locator('.languages > button').click();
      const menu = (await page.locator('#languages').boundingBox())!;
      expect([menu.x >= 0, menu.x + menu.width <= 320]).toEqual([true, true]);
    }
  });

  test('a name that ends with a sign keeps it at its end where one reads the other way', async () => {
    const lines = [{ name: 'Coffee, large!', qty: 1, price_cents: 1800 }];
    checkout(checkoutView({ lines, merchant: { name: 'Northwind!', logoUrl: null, timeZone: 'UTC' } }), 'ar');
    await page.setViewportSize({ width: 1280, height: 844 });
    await open();
    for (const place of ['.merchant > :last-child', '.summary dt']) {
      const [first, last] = await page
        .locator(place)
        .first()
        .evaluate((one) => {
          const text = document.createTreeWalker(one, NodeFilter.SHOW_TEXT).nextNode() as Text;
          return [0, text.length - 1].map((at) => {
            const range = document.createRange();
            range.setStart(text, at);
            range.setEnd(text, at + 1);
            return range.getBoundingClientRect().x;
          });
        });
      expect([place, first! < last!]).toEqual([place, true]);
    }
  });

  test('everything up to the way back fits on a phone', async () => {
    checkout(checkoutView());
    const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    const screen = await phone.newPage();
    await open(screen);
    const back = (await screen.locator('.foot a').boundingBox())!;
    expect(back.y + back.height).toBeLessThan(844);
    // On a phone the wallet is what to open; with a mouse the invoice is what to copy.
    const [opener, copier] = [await fill(screen, '.open'), await fill(screen, '#copy')];
    expect([opener, copier]).toEqual(['rgb(79, 70, 229)', 'rgb(255, 255, 255)']);
    await page.setViewportSize({ width: 1280, height: 844 });
    await open();
    expect([await fill(page, '.open'), await fill(page, '#copy')]).toEqual(['rgb(255, 255, 255)', 'rgb(79, 70, 229)']);
    await phone.close();
  });

  test('forced colours leave the code black on white', async () => {
    checkout(checkoutView({ theme: 'dark' }));
    await page.emulateMedia({ forcedColors: 'active' });
    await page.setViewportSize({ width: 390, height: 844 });
    await open();
    expect(await readQr(page.locator('.qr'))).toBe(`LIGHTNING:${exampleBolt11.toUpperCase()}`);
    await page.emulateMedia({ forcedColors: null });
  });

  test('without a script everything needed to pay is there', async () => {
    checkout(checkoutView({ livemode: false }));
    const plain = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    const screen = await plain.newPage();
    await open(screen);
    expect(await screen.locator('#invoice').inputValue()).toBe(exampleBolt11);
    expect(await screen.locator('.open').getAttribute('href')).toBe(`lightning:${exampleBolt11}`);
    expect(await screen.locator('#countdown').textContent()).toBe('14:32 UTC');
    expect(await screen.locator('noscript meta[http-equiv=refresh]').getAttribute('content')).toBe('10');
    expect(await screen.locator('#copy').isVisible()).toBe(false);
    expect(await screen.locator('#simulate button').isVisible()).toBe(true);
    await screen.locator('.details summary').click();
    expect(await screen.locator('.details dd').first().isVisible()).toBe(true);
    await plain.close();
  });

  test('a receipt fits A4 and a roll of 80 mm, and a test one says so across', async () => {
    server.show('/', (nonce) => renderReceiptPage(receiptView({ livemode: false }), { nonce, language: 'en' }));
    await page.emulateMedia({ media: 'print' });
    for (const width of [302, 794]) {
      await page.setViewportSize({ width, height: 1000 });
      await open();
      expect(await excessPixels(page)).toBe(0);
      expect(await page.locator('#print-receipt').isVisible()).toBe(false);
      expect(await page.locator('.watermark').isVisible()).toBe(true);
    }
    await page.emulateMedia({ media: null });
  });

  test('a payment link prints as a poster whose code leads to it', async () => {
    server.show('/', (nonce) => renderPaymentLinkPage(paymentLinkView(), { nonce, language: 'en' }));
    await page.emulateMedia({ media: 'print' });
    await page.setViewportSize({ width: 794, height: 1123 });
    await open();
    expect(await readQr(page.locator('.poster .qr'))).toBe(paymentLinkView().url);
    expect(await page.locator('.product form').isVisible()).toBe(false);
    await page.emulateMedia({ media: null });
  });
});

const fill = (page: Page, place: string) =>
  page.locator(place).evaluate((element) => getComputedStyle(element).backgroundColor);
