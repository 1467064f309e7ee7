import { spawn } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';

const script = fileURLToPath(new URL('../../examples/agent/sell.js', import.meta.url));

let app: TestApp;
let merchant: TestMerchant;
let baseUrl: string;

beforeAll(async () => {
  app = await openTestApp();
  merchant = await app.newMerchant();
  await app.app.listen({ host: '127.0.0.1', port: 0 });
  baseUrl = `http://127.0.0.1:${(app.app.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

/** Runs the example to its end. */
async function sell(env: Record<string, string>, ...words: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [script, ...words], {
    env: { PATH: process.env.PATH, SATLINE_URL: baseUrl, ...env },
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk;
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const code = await new Promise<number>((resolve) => child.on('close', resolve));
  return { code, output };
}

test('sells within its limits and no further', async () => {
  const limits = { allowed_tools: ['get_merchant', 'create_order', 'check_invoice_status', 'get_order'] };
  const token = { name: 'Shop assistant', max_order_cents: 5000, ...limits };
  const { key } = (await merchant.test.post('/api/v1/m/api_tokens', { api_token: token })).body;
  const env = { SATLINE_KEY: key, SATLINE_PAYER_KEY: merchant.test.key! };

  const [sold, refused] = await Promise.all([sell(env, 'Two coffees', '700'), sell(env, 'A car', '1000000')]);
  expect(sold.output).toMatch(/This key may use 4 tools: .*check_invoice_status/);
  expect(sold.output).toMatch(/The customer pays lnbcrt/);
  expect(sold).toMatchObject({ code: 0, output: expect.stringMatching(/is paid: \d+ sats, preimage [0-9a-f]{64}/) });
  expect(refused.code).not.toBe(0);
  expect(refused.output).toContain('This key may ask for at most $50.00 at once, and this is $10,000.00');

  const { data } = (await merchant.test.get('/api/v1/m/sales')).body;
  expect(data).toHaveLength(1);
  expect(data[0]).toMatchObject({ source: 'mcp', total_cents: 700, items: [{ name: 'Two coffees' }] });
});
