import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { hasBrowser, openBrowser } from '../harness/browser.ts';
import { listen } from '../harness/event-stream.ts';
import { act, invite, show, subscribe } from '../harness/subscriptions.ts';
import { faultsAtWidths, readQr, rulesFor, watchPage } from './page-checks.ts';

describe.runIf(hasBrowser())('a customer of a subscription', () => {
  let browser: Browser;
  let app: TestApp;
  let url: string;
  let merchant: TestMerchant;

  beforeAll(async () => {
    [browser, app] = await Promise.all([openBrowser(), openTestApp({ watch: false })]);
    url = await listen(app);
    merchant = await app.newMerchant();
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const addressOf = ({ customer_url }: { customer_url: string }) => url + new URL(customer_url).pathname;

  test('sees a payment from elsewhere by itself, with a script and without', { timeout: 60_000 }, async () => {
    for (const javaScriptEnabled of [true, false]) {
      const subscription = await subscribe(app, merchant.test);
      const context = await browser.newContext({ javaScriptEnabled });
      const page = await context.newPage();
      await act(app, subscription, 'pay');
      // What a page without a script does every few seconds, sooner.
      await page.route(addressOf(subscription), async (route) => {
        const answer = await route.fetch();
        await route.fulfill({
          response: answer,
          body: (await answer.text()).replace(/(refresh" content=")\d+/, '$11'),
        });
      });
      await page.goto(addressOf(subscription));
      await page.locator('.qr').waitFor();
      await act(app, subscription, 'simulate_payment');
      await page.locator('.qr').waitFor({ state: 'detached', timeout: 20_000 });
      expect(await page.locator('main').textContent()).toContain('Paid');
      await context.close();
    }
  });

  test('is shown the invoice that took the place of another, with the amount that is due now', async () => {
    const subscription = await subscribe(app, merchant.test);
    await act(app, subscription, 'pay');
    const page = await browser.newPage();
    await page.goto(addressOf(subscription));
    const first = await page.locator('#invoice').textContent();
    const orders = await merchant.test.get('/api/v1/m/orders?per_page=1');
    await merchant.test.patch(`/api/v1/m/orders/${orders.body.data[0].id}`, { order: { total_amount_cents: 4200 } });
    const { body } = await act(app, subscription, 'pay');
    expect(body.invoice.payment_request).not.toBe(first);
    await page.locator('h2', { hasText: 'Pay $42.00' }).waitFor({ timeout: 10_000 });
    expect(await page.locator('#invoice').textContent()).toBe(body.invoice.payment_request);
    await page.close();
  });

  test('is told that the connection is lost, and that it is back', { timeout: 60_000 }, async () => {
    const subscription = await subscribe(app, merchant.test);
    await act(app, subscription, 'pay');
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(addressOf(subscription));
    const strip = page.getByRole('status').filter({ hasText: 'Connection lost' });
    await context.setOffline(true);
    await strip.waitFor();
    await context.setOffline(false);
    await strip.waitFor({ state: 'detached' });
    await context.close();
  });

  test('copies the invoice, or is told that this browser does not let it', { timeout: 60_000 }, async () => {
    const subscription = await subscribe(app, merchant.test);
    await act(app, subscription, 'pay');
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(addressOf(subscription));
    const button = page.locator('#copy');
    await button.click();
    await page.locator('#copy', { hasText: 'Copied' }).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toMatch(/^lnbcrt[0-9a-z]+$/);
    expect(copied).toBe((await page.locator('#invoice').textContent())!);
    await page.locator('#copy', { hasText: /^Copy$/ }).waitFor({ timeout: 5000 });
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));
      document.execCommand = () => false;
    });
    await button.click();
    await page.locator('#copy', { hasText: 'Select the text' }).waitFor();
    await context.close();
  });

  for (const theme of ['light', 'dark'] as const) {
    test(`accepts, pays and leaves; axe finds nothing, ${theme}`, { timeout: 60_000 }, async () => {
      await merchant.test.patch('/api/v1/m/merchant', { merchant: { checkout_theme: theme } });
      const subscription = await invite(merchant.test, { name: 'News of the Week', bitcoin_discount_percent: '5' });
      const context = await browser.newContext({ reducedMotion: 'reduce' });
      const page = await context.newPage();
      const watch = await watchPage(page, url);
      const faults = () => faultsAtWidths(page, rulesFor(theme));
      await page.goto(addressOf(subscription));
      expect(await faults()).toEqual([]);
      const press = async (deed: string) => {
        await page.locator(`form[action*="/${deed}?"] button`).click();
        await page.waitForLoadState();
      };
      await press('accept');
      expect(await faults()).toEqual([]);
      await press('pay');
      expect(await readQr(page.locator('.qr'))).toMatch(/^LIGHTNING:LNBCRT[0-9A-Z]+$/);
      expect(await faults()).toEqual([]);
      await press('simulate_payment');
      expect(await page.locator('main').textContent()).toContain('Paid');
      await page.locator('summary', { hasText: 'Cancel the subscription' }).click();
      await press('cancel');
      expect(await faults()).toEqual([]);
      expect(await show(merchant.test, subscription.id)).toMatchObject({ cancel_at_period_end: true });
      expect(watch.faults).toEqual([]);
      await context.close();
    });
  }

  test('reads it in a language that runs the other way', { timeout: 60_000 }, async () => {
    const subscription = await invite(merchant.test, { interval_count: 3 });
    const page = await browser.newPage();
    await page.goto(`${addressOf(subscription)}?locale=ar`);
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    expect(await faultsAtWidths(page)).toEqual([]);
    await page.locator('form[action*="/accept?"] button').click();
    await page.locator('form[action*="/pay?"]').waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('ar');
    await page.close();
  });
});
