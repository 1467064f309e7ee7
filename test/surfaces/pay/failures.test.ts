import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { createProduct } from '../../harness/catalog.ts';

let app: TestApp;
let merchant: TestMerchant;
let checkout: string;
let link: string;

beforeAll(async () => {
  app = await openTestApp();
  merchant = await app.newMerchant();
  link = `/pay/${(await createProduct(merchant.test)).slug}`;
  const session = await merchant.test.post('/api/v1/checkout_sessions', { checkout_session: { amount_cents: 500 } });
  checkout = `/checkout/${session.body.token}`;
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => app.close());

const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'accept-language': 'de' };

function visit(url: string, headers: Record<string, string> = asBrowser, method: 'GET' | 'POST' = 'GET') {
  return app.app.inject({ method, url, headers });
}

function breakDatabase(): void {
  for (const name of ['maybeOne', 'many'] as const) {
    vi.spyOn(app.parts.db, name).mockImplementation(() => Promise.reject(new Error('no database')));
  }
}

test('a browser whose page fails gets one that says so, and looks again where no script does', async () => {
  breakDatabase();
  for (const url of [checkout, link, `/receipts/rcp_${'x'.repeat(24)}`, '/subscriptions/sub_x']) {
    const answer = await visit(url);
    expect([url, answer.statusCode, answer.headers['content-type']]).toEqual([url, 500, 'text/html; charset=utf-8']);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.body).toContain('<h1>Das hat nicht geklappt</h1>');
    expect(answer.body).toContain('bezahle nicht noch einmal');
    expect(answer.body).toContain('<noscript><meta http-equiv="refresh" content="10"/></noscript>');
    expect(answer.body).not.toContain('no database');
  }
});

test('a form that comes to nothing leads back to its page', async () => {
  const session = await merchant.test.post('/api/v1/checkout_sessions', { checkout_session: { amount_cents: 500 } });
  await merchant.test.post(`/api/v1/checkout_sessions/${session.body.id}/cancel`);
  const url = `/checkout/${session.body.token}/simulate_payment`;
  const answer = await visit(url, asBrowser, 'POST');
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([410, 'text/html; charset=utf-8']);
  expect(answer.body).toContain('href=".?locale=de"');
  expect(answer.body).not.toContain('http-equiv="refresh"');
});

test('programs hear it as an error', async () => {
  breakDatabase();
  for (const [url, headers] of [
    [checkout, { accept: 'application/json' }],
    [checkout, { accept: '*/*' }],
    [`${checkout}/status`, asBrowser],
    [`${link}.json`, asBrowser],
  ] as const) {
    const answer = await visit(url, headers);
    expect([answer.statusCode, answer.json().error.code]).toEqual([500, 'internal_error']);
  }
});
