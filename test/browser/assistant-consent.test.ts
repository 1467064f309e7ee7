import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { hasBrowser, openBrowser } from '../harness/browser.ts';
import { listen } from '../harness/event-stream.ts';
import { type LocalProgram, startLocalProgram } from '../harness/mcp-oauth.ts';
import { addUser } from '../harness/people.ts';
import { faultsAtWidths, watchPage } from './page-checks.ts';

/** An official client that has not been let in yet, and what it does once it has. */
interface OfficialClient {
  /** @throws that somebody has to be asked. */
  connect(): Promise<void>;
  finish(callback: URLSearchParams): Promise<void>;
  listTools(): Promise<string[]>;
  call(name: string, args: Record<string, unknown>): Promise<{ isError?: boolean; text: string }>;
  close(): Promise<void>;
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]!.text;

function firstClient(url: URL, { store }: LocalProgram): OfficialClient {
  const open = () => new StreamableHTTPClientTransport(url, { authProvider: store });
  const [asking, client] = [open(), new Client({ name: 'test', version: '1' })];
  return {
    connect: () => client.connect(asking),
    async finish(callback) {
      await asking.finishAuth(callback.get('code')!);
      await client.connect(open());
    },
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args) {
      const result = await client.callTool({ name, arguments: args });
      return { isError: result.isError === true, text: textOf(result) };
    },
    close: () => client.close(),
  };
}

function secondClient(url: URL, { store }: LocalProgram): OfficialClient {
  const open = () => new NewTransport(url, { authProvider: store });
  const [asking, client] = [open(), new NewClient({ name: 'test', version: '2' })];
  return {
    connect: () => client.connect(asking),
    async finish(callback) {
      await asking.finishAuth(callback);
      await client.connect(open());
    },
    listTools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async call(name, args) {
      const result = await client.callTool({ name, arguments: args });
      return { isError: result.isError === true, text: textOf(result) };
    },
    close: () => client.close(),
  };
}

describe.runIf(hasBrowser())('an assistant that connects in a browser', () => {
  let browser: Browser;
  let app: TestApp;
  let url: string;
  let merchant: TestMerchant;
  let owner: Awaited<ReturnType<typeof addUser>>;

  beforeAll(async () => {
    [browser, app] = await Promise.all([openBrowser(), openTestApp({ watch: false })]);
    url = await listen(app);
    // Addresses of the authorization server come from configuration alone.
    Object.assign(app.parts.links, { publicUrl: url, payUrl: url });
    merchant = await app.newMerchant();
    owner = await addUser(app, [merchant, await app.newMerchant()]);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const versions = [
    ['1.x', 'light', firstClient],
    ['2.x', 'dark', secondClient],
  ] as const;
  test.each(versions)(
    'official client %s: discovery, registration, consent, tools; %s',
    { timeout: 90_000 },
    async (version, theme, make) => {
      const program = await startLocalProgram(`Official client ${version}`);
      const client = make(new URL(`${url}/api/v1/mcp`), program);
      const context = await browser.newContext({ colorScheme: theme, reducedMotion: 'reduce' });
      const page = await context.newPage();
      try {
        await expect(client.connect()).rejects.toThrow(/unauthorized/i);
        const watch = await watchPage(page, url);
        await page.goto(program.authorizationUrl());
        await page.getByLabel('E-mail address').fill(owner.email);
        await page.getByLabel('Password').fill(owner.password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('heading', { name: `Connect Official client ${version}?` }).waitFor();
        expect(await faultsAtWidths(page)).toEqual([]);
        expect(watch.faults).toEqual([]);
        await page.locator(`input[value="${merchant.id}"]`).check();
        await page.getByLabel('Test data').check();
        await page.getByRole('button', { name: 'Allow' }).click();
        await page.getByRole('heading', { name: 'You may close this window' }).waitFor();

        await client.finish(await program.callback);
        const tools = await client.listTools();
        expect(tools).toContain('create_payment_link');
        expect(tools).toContain('list_products');
        expect(tools).not.toContain('list_payments');
        expect(tools).not.toContain('get_product_key');
        const made = await client.call('create_payment_link', { name: `Mug ${version}`, price_cents: 1200 });
        expect(made.isError).toBe(false);
        expect(JSON.parse(made.text)).toMatchObject({
          livemode: false,
          payment_link_url: expect.stringContaining('/pay/prod_'),
        });
        const { body } = await merchant.test.get('/api/v1/m/products');
        expect(body.data.map((one: { name: string }) => one.name)).toContain(`Mug ${version}`);

        // What the consent page promised: it is disconnected again, with a second look, in the account.
        await page.goto(`${url}/account`);
        await page.locator('section', { hasText: 'Connected assistants' }).getByRole('link', { name: 'Show' }).click();
        const card = page.locator('section', { hasText: `Official client ${version}` });
        const button = card.getByRole('button', { name: `Disconnect Official client ${version}` });
        expect(await button.isVisible()).toBe(false);
        await card.locator('summary').focus();
        await page.keyboard.press('Enter');
        expect(await faultsAtWidths(page)).toEqual([]);
        await button.click();
        await card.waitFor({ state: 'detached' });
        expect(await faultsAtWidths(page)).toEqual([]);
        await expect(client.listTools()).rejects.toThrow();
        expect(watch.faults.filter((fault) => !fault.includes('/callback?'))).toEqual([]);
      } finally {
        await client.close();
        await context.close();
        await program.close();
      }
    },
  );

  test('a person who does not agree comes back to the program with nothing; an error page is whole too', {
    timeout: 60_000,
  }, async () => {
    const program = await startLocalProgram('Nosy');
    const context = await browser.newContext();
    const page = await context.newPage();
    try {
      await expect(firstClient(new URL(`${url}/api/v1/mcp`), program).connect()).rejects.toThrow(/unauthorized/i);
      const address = new URL(program.authorizationUrl());
      await page.goto(address.href);
      await page.getByLabel('E-mail address').fill(owner.email);
      await page.getByLabel('Password').fill(owner.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.goto(`${page.url()}?locale=ar`);
      expect(await page.locator('html').getAttribute('dir')).toBe('rtl');
      expect(await faultsAtWidths(page)).toEqual([]);
      await page.locator('button[value="deny"]').click();
      await page.waitForURL(/error=access_denied/);
      address.searchParams.set('redirect_uri', 'https://elsewhere.example/');
      await page.goto(address.href);
      expect(await page.locator('h1').textContent()).toBe('This request cannot be answered');
      expect(await faultsAtWidths(page)).toEqual([]);
    } finally {
      await context.close();
      await program.close();
    }
  });
});
