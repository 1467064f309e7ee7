import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { hasBrowser, openBrowser } from '../harness/browser.ts';
import { listen } from '../harness/event-stream.ts';
import { addUser } from '../harness/people.ts';
import { codeOf } from '../harness/second-factor.ts';
import { faultsAtWidths, readQr, rulesFor, watchPage } from './page-checks.ts';

describe.runIf(hasBrowser())('somebody who works for a merchant', () => {
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

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`signs in, sets up a second factor and signs in with it; ${colorScheme}`, { timeout: 90_000 }, async () => {
      const user = await addUser(app, [merchant]);
      const context = await browser.newContext({ colorScheme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      const watch = await watchPage(page, url);
      const faults = () => faultsAtWidths(page, rulesFor(colorScheme));
      const press = async (name: string) => {
        await page
          .getByRole('button', { name, exact: true })
          .or(page.getByRole('link', { name, exact: true }))
          .click();
        await page.waitForLoadState();
      };
      const signIn = async (password: string) => {
        await page.getByLabel('E-mail address').fill(user.email);
        await page.getByLabel('Password').fill(password);
        await press('Sign in');
      };

      await page.goto(`${url}/account`);
      expect(new URL(page.url()).pathname).toBe('/sign-in');
      expect(await faults()).toEqual([]);
      await signIn('wrong');
      expect(await page.getByLabel('E-mail address').inputValue()).toBe(user.email);
      expect(await faults()).toEqual([]);
      await signIn(user.password);
      expect(new URL(page.url()).pathname).toBe('/account');
      expect(await faults()).toEqual([]);

      await press('Set up');
      expect(await faults()).toEqual([]);
      await page.getByLabel('Your password').fill(user.password);
      await press('Continue');
      const address = new URL((await readQr(page.locator('svg.qr')))!);
      const secret = address.searchParams.get('secret')!;
      expect(await page.locator('.secret').textContent()).toBe(secret.match(/.{4}/g)!.join(' '));
      expect(await faults()).toEqual([]);
      await page.getByLabel('Code', { exact: true }).fill(codeOf(app, secret));
      await press('Turn on');
      expect(await page.locator('.codes li').count()).toBe(10);
      expect(await faults()).toEqual([]);
      await press('I have kept them');
      await press('Change');
      expect(await faults()).toEqual([]);

      await page.goto(`${url}/account`);
      await press('Sign out');
      app.clock.advanceSeconds(60);
      await signIn(user.password);
      expect(new URL(page.url()).pathname).toBe('/sign-in/code');
      await page.locator('summary', { hasText: 'I cannot use my app' }).click();
      expect(await faults()).toEqual([]);
      await page.getByLabel('Code', { exact: true }).fill(codeOf(app, secret));
      await page.getByRole('button', { name: 'Continue' }).first().click();
      await page.waitForURL(`${url}/account`);
      expect(watch.faults).toEqual([]);
      await context.close();
    });
  }

  test('signs in with the keyboard alone, and no script runs', { timeout: 60_000 }, async () => {
    const user = await addUser(app, [merchant]);
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${url}/sign-in?return_to=%2Faccount%3Ffrom%3Dkeyboard`);
    const { keyboard } = page;
    await keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to content');
    await keyboard.press('Tab');
    await keyboard.type(user.email);
    await keyboard.press('Tab');
    await keyboard.type(user.password);
    await keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Sign in');
    await keyboard.press('Enter');
    await page.waitForURL(`${url}/account?from=keyboard`);
    // What the browser keeps is out of reach for scripts and other sites.
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ name: 'satline_session', httpOnly: true, sameSite: 'Lax', path: '/', expires: -1 });
    await context.close();
  });

  test('closes the menu of languages with Escape and is back at its button, or by pressing elsewhere', async () => {
    const page = await browser.newPage();
    await page.goto(`${url}/sign-in`);
    const [menu, button] = [page.locator('#languages'), page.locator('.languages > button')];
    await button.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('English');
    await page.keyboard.press('Escape');
    expect(await menu.isVisible()).toBe(false);
    expect(await button.evaluate((one) => one === document.activeElement)).toBe(true);
    await button.click();
    expect(await menu.isVisible()).toBe(true);
    await page.locator('h1').click();
    expect(await menu.isVisible()).toBe(false);
    await page.close();
  });

  test('is not signed in or out by another site', { timeout: 60_000 }, async () => {
    const user = await addUser(app, [merchant]);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${url}/sign-in`);
    await page.getByLabel('E-mail address').fill(user.email);
    await page.getByLabel('Password').fill(user.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${url}/account`);
    // The same machine under another name is another site to a browser.
    const elsewhere = url.replace('127.0.0.1', 'localhost');
    for (const path of ['/sign-out', '/account/sign-out-everywhere', '/sign-in']) {
      await page.route(`${elsewhere}/evil`, (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<form method="post" action="${url}${path}"><input name="email" value="${user.email}">
            <input name="password" value="${user.password}"><button>Go</button></form>`,
        }),
      );
      await page.goto(`${elsewhere}/evil`);
      const [answer] = await Promise.all([
        page.waitForResponse(`${url}${path}`),
        page.getByRole('button', { name: 'Go' }).click(),
      ]);
      expect([path, answer.status()]).toEqual([path, 403]);
      await page.unroute(`${elsewhere}/evil`);
    }
    await page.goto(`${url}/account`);
    expect(new URL(page.url()).pathname).toBe('/account');
    await context.close();
  });

  test('reads it all in a language that runs the other way', { timeout: 60_000 }, async () => {
    const context = await browser.newContext({ locale: 'ar' });
    const page = await context.newPage();
    await page.goto(`${url}/sign-in`);
    expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
    expect(await faultsAtWidths(page)).toEqual([]);
    await context.close();
  });

  test('breaks no word of an account where words are long and the phone is small', { timeout: 60_000 }, async () => {
    const user = await addUser(app, [merchant]);
    await app.stranger.post('/api/v1/m/sessions', { email: user.email, password: user.password });
    const context = await browser.newContext({ locale: 'de' });
    const page = await context.newPage();
    await page.goto(`${url}/sign-in`);
    await page.getByLabel('E-Mail-Adresse').fill(user.email);
    await page.getByLabel('Passwort').fill(user.password);
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await page.waitForURL(`${url}/account`);
    await page.getByText('Beenden').waitFor();
    expect(await faultsAtWidths(page)).toEqual([]);
    await context.close();
  });

  test('finds the description of the API at the bare address; the page talks to nobody else', async () => {
    const page = await browser.newPage();
    const watch = await watchPage(page, url);
    await page.goto(url);
    expect(new URL(page.url()).pathname).toBe('/docs');
    await page.getByText('List orders, newest first').first().waitFor();
    // Buttons of the package's maker, which would send the document to him.
    expect(await page.getByText('Generate SDKs').count()).toBe(0);
    expect(watch.faults).toEqual([]);
    await page.close();
  });
});
