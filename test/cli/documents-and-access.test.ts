import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ManualClock } from '../../src/kernel/clock.ts';
import { openTestApp } from '../harness/app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { satlineHere } from './run-in-process.ts';
import { satline } from './run-satline.ts';

vi.setConfig({ testTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'satline-documents-'));
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await run('merchant', 'create', '--name', 'Shop', '--email', 'shop@example.com');
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...words: string[]) => satlineHere(database.env, ...words);

test('documents and access tokens made by command are good at the API, in their mode only', async () => {
  const file = join(folder, 'März.pdf');
  writeFileSync(file, '%PDF-');
  const added = await satline(
    database.env,
    'document',
    'add',
    file,
    '--kind',
    'contract',
    '--type',
    'application/pdf',
    '--json',
  );
  expect(added).toMatchObject({ code: 0, stderr: '' });
  const document = added.json();
  expect(document).toMatchObject({ object: 'merchant_document', livemode: false, name: 'März.pdf', size_bytes: 5 });
  for (const [words, sentence] of [
    [[join(folder, 'none')], 'There is no /'],
    [[folder], 'is a folder. Name a file.'],
  ] as const) {
    const refused = await run('document', 'add', ...words);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain(sentence);
  }
  const signed = await run(
    'access-token',
    'create',
    '--resource',
    'film-7',
    '--type',
    'video',
    '--days',
    '2',
    '--json',
  );
  const token = signed.json().access_token as string;
  const text = await run('access-token', 'create', '--resource', 'film-7', '--live');
  expect(text.stdout).toMatch(/^[A-Za-z0-9+/]+=*--[0-9a-f]{64}\n$/);
  const keys = [await run('key', 'create', '--json'), await run('key', 'create', '--live', '--json')];
  const [testKey, liveKey] = keys.map((made) => `Bearer ${made.json().key}`) as [string, string];

  const clock = new ManualClock(new Date());
  const app = await openTestApp({ database, clock, watch: false });
  try {
    const get = (url: string, authorization: string) =>
      app.app.inject({ method: 'GET', url, headers: { authorization } });
    const shown = await get(`/api/v1/m/documents/${document.id}`, testKey);
    expect(shown.json()).toEqual({ ...document, url: shown.json().url });
    const { pathname } = new URL(document.url);
    expect((await get(pathname, testKey)).payload).toBe('%PDF-');
    expect((await get(pathname, liveKey)).statusCode).toBe(404);

    const verify = (access_token: string, authorization: string) =>
      app.stranger.post('/api/v1/m/access/verify', { access_token }, { authorization });
    const { status, body } = await verify(token, testKey);
    expect([status, body.valid, body.order_id, body.product_id]).toEqual([200, true, null, null]);
    expect(body.remaining_seconds).toBeGreaterThan(2 * 86_400 - 300);
    expect((await verify(token, liveKey)).status).toBe(402);
    expect((await verify(text.stdout.trim(), liveKey)).status).toBe(200);
    clock.advanceSeconds(2 * 86_400);
    expect((await verify(token, testKey)).status).toBe(402);
  } finally {
    await app.close();
  }
});
