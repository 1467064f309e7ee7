import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordOperatorAudit, verifyAuditLog } from '../../../src/flows/record-audit.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { Client } from '../../harness/client.ts';
import { addUser } from '../../harness/people.ts';

const path = '/api/v1/m/audit_log';

let app: TestApp;
let merchant: TestMerchant;

beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

const webhook = { url: 'http://127.0.0.1:9/hook', events: ['*'] };

describe('the audit log', () => {
  test('tells who changed what, newest first, and no secrets', async () => {
    const hook = await merchant.test.post('/api/v1/m/webhooks', { webhook });
    expect(hook.status).toBe(201);
    const key = await merchant.test.post('/api/v1/m/api_tokens', { api_token: { name: 'Till', token_type: 'secret' } });
    expect(key.status).toBe(201);
    await merchant.test.delete(`/api/v1/m/webhooks/${hook.body.id}`);
    const { status, body } = await merchant.test.get(path);
    expect(status).toBe(200);
    expect(body.data.map(({ action, subject_id, number }: never) => [action, subject_id, number])).toEqual([
      ['delete_webhook', hook.body.id, 3],
      ['create_api_token', key.body.id, 2],
      ['create_webhook', hook.body.id, 1],
    ]);
    expect(body.data[0]).toMatchObject({
      object: 'audit_entry',
      livemode: false,
      actor: 'api_token',
      api_token_id: merchant.test.id,
      user_id: null,
      request_id: expect.stringMatching(/^req_/),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    for (const secret of [hook.body.secret_key, key.body.key]) expect(JSON.stringify(body)).not.toContain(secret);
    expect((await merchant.test.get(`${path}?q[action_eq]=create_webhook`)).body.meta.total_count).toBe(1);
  });

  test('holds nothing of calls that failed, and one entry for a call that was repeated', async () => {
    const shop = await app.newMerchant();
    expect((await shop.test.post('/api/v1/m/webhooks', { webhook: { url: 'nonsense', events: ['*'] } })).status).toBe(
      422,
    );
    expect((await shop.test.get(path)).body.data).toEqual([]);
    const headers = { 'idempotency-key': 'once' };
    for (let i = 0; i < 2; i++) await shop.test.post('/api/v1/m/webhooks', { webhook }, headers);
    expect((await shop.test.get(path)).body.meta.total_count).toBe(1);
  });

  test('names the person behind a device', async () => {
    const shop = await app.newMerchant();
    const user = await addUser(app, [shop]);
    const { body } = await app.stranger.post('/api/v1/m/sessions', { email: user.email, password: user.password });
    const activation = { session_token: body.session_token, merchant_id: shop.id, livemode: false };
    const device = await app.stranger.post('/api/v1/m/sessions/activate', activation);
    await new Client(app.app, device.body.api_key, undefined).patch('/api/v1/m/merchant', {
      merchant: { name: 'Shop' },
    });
    expect((await shop.test.get(path)).body.data).toMatchObject([
      { action: 'update_merchant', actor: 'api_token', user_id: user.id },
      {
        action: 'activate_session',
        actor: 'user',
        user_id: user.id,
        api_token_id: null,
        livemode: false,
        request_id: expect.stringMatching(/^req_/),
      },
    ]);
    expect(await verifyAuditLog(app.parts.db, shop.id)).toMatchObject({ count: 2, brokenAt: null });
  });

  test('is one’s own, and one’s mode’s', async () => {
    const other = await app.newMerchant();
    expect((await other.test.get(path)).body.data).toEqual([]);
    expect((await merchant.live.get(path)).body.data).toEqual([]);
    expect((await merchant.publishable.get(path)).status).toBe(403);
    expect((await app.stranger.get(path)).status).toBe(401);
    expect((await (await merchant.narrowed('orders:read')).get(path)).status).toBe(403);
  });

  test('is a chain: what is altered or taken out shows', async () => {
    const { db, clock } = app.parts;
    const shop = await app.newMerchant();
    const entry = { merchantId: shop.id, subjectId: null, now: clock.now() };
    const record = (action: string) => db.transaction((tx) => recordOperatorAudit(tx, { ...entry, action }));
    // Side by side: each waits for the one before.
    await Promise.all(['a', 'b', 'c', 'd'].map(record));
    expect(await verifyAuditLog(db, shop.id)).toMatchObject({ count: 4, brokenAt: null });
    await app.rows(`update audit_log set action = 'x' where merchant_id = $1 and number = 3`, [shop.id]);
    expect(await verifyAuditLog(db, shop.id)).toMatchObject({ count: 2, brokenAt: 3 });
    await app.rows('delete from audit_log where merchant_id = $1 and number = 2', [shop.id]);
    expect(await verifyAuditLog(db, shop.id)).toMatchObject({ count: 1, brokenAt: 2 });
  });
});
