import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../../src/kernel/ids.ts';
import { insertMerchantDocument } from '../../../src/store/merchant-documents.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import type { Client } from '../../harness/client.ts';
import { anId, expectError, expectInvalid, unknownFilter } from '../../harness/expect.ts';
import { describeRefusals } from '../../harness/refusals.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false, env: { PUBLIC_URL: 'https://satline.example.com' } });
});
afterAll(() => app.close());

const path = '/api/v1/m/documents';

/** Documents come from the operator; there is no operation that makes one. */
async function add(merchant: TestMerchant, members: Record<string, unknown> = {}, content = Buffer.from('%PDF-')) {
  const row = {
    id: newId(),
    livemode: false,
    name: 'March.pdf',
    kind: 'report',
    content_type: 'application/pdf',
    size_bytes: content.length,
    created_at: app.clock.now(),
    ...members,
  };
  await insertMerchantDocument(app.parts.db, merchant.id, row, content);
  return row.id;
}
const read = async (client: Client, id: string) => {
  const headers = { authorization: `Bearer ${client.key}` };
  return app.app.inject({ method: 'GET', url: `${path}/${id}/content`, headers });
};

const one = {
  method: 'GET' as const,
  permission: 'merchant:read' as const,
  resource: 'Document',
  make: (merchant: TestMerchant) => add(merchant, { content_type: 'application/json' }, Buffer.from('{}')),
  makeLive: (merchant: TestMerchant) => add(merchant, { livemode: true }),
};
describe('list', () => {
  describeRefusals(() => app, { method: 'GET', path: () => path, permission: 'merchant:read' });
});
describe('show', () => {
  describeRefusals(() => app, { ...one, path: (id) => `${path}/${id}` });
});
describe('content', () => {
  describeRefusals(() => app, { ...one, path: (id) => `${path}/${id}/content` });
});

test('shows every member, newest first, in its own mode', async () => {
  const merchant = await app.newMerchant();
  const first = await add(merchant);
  app.clock.advanceSeconds(1);
  const second = await add(merchant, { name: 'Contract', kind: 'contract' });
  await add(merchant, { livemode: true, name: 'Live' });
  const { data, meta } = (await merchant.test.get(path)).body;
  expect(data.map(({ id }: { id: string }) => id)).toEqual([second, first]);
  expect(meta.total_count).toBe(2);
  expect(data[1]).toEqual({
    object: 'merchant_document',
    livemode: false,
    id: anId(),
    name: 'March.pdf',
    kind: 'report',
    content_type: 'application/pdf',
    size_bytes: 5,
    url: `https://satline.example.com${path}/${first}/content`,
    created_at: expect.any(String),
  });
  expect((await merchant.test.get(`${path}/${first}`)).body).toEqual(data[1]);
  const filtered = (await merchant.test.get(`${path}?q[kind_eq]=contract`)).body.data;
  expect(filtered.map(({ id }: { id: string }) => id)).toEqual([second]);
  expectInvalid(await merchant.test.get(`${path}?q[url_eq]=x`), unknownFilter('q[url_eq]'));
});

test('the content leaves byte for byte, as an attachment that runs nowhere', async () => {
  const merchant = await app.newMerchant();
  const content = Buffer.from([0, 255, 13, 10, 60, 33]);
  const id = await add(merchant, { name: `It's "März" (2).html`, content_type: 'text/html' }, content);
  const reply = await read(merchant.test, id);
  expect([reply.statusCode, reply.rawPayload]).toEqual([200, content]);
  expect(reply.headers).toMatchObject({
    'content-type': 'text/html',
    'content-disposition': `attachment; filename*=UTF-8''It%27s%20%22M%C3%A4rz%22%20%282%29.html`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'no-store',
    // It counts like any other request.
    ratelimit: expect.stringMatching(/^"minute";r=\d+;t=\d+$/),
  });
  const head = await app.app.inject({
    method: 'HEAD',
    url: `${path}/${id}/content`,
    headers: { authorization: `Bearer ${merchant.test.key}` },
  });
  expect([head.statusCode, head.rawPayload.length, head.headers['content-length']]).toEqual([200, 0, '6']);
});

test('nothing but reading works at the content', async () => {
  const merchant = await app.newMerchant();
  const id = await add(merchant);
  for (const method of ['POST', 'PATCH', 'PUT', 'DELETE'] as const) {
    const reply = await merchant.test.raw(method, `${path}/${id}/content`, '');
    expectError(reply, 'method_not_allowed');
    expect(reply.headers.allow).toBe('GET, HEAD');
  }
});
