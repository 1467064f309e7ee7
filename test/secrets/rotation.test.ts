import { createHmac, randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectWallet } from '../../src/flows/connect-wallet.ts';
import { countSealedByKey, RotationRefused, requireRotatable, rotateSecrets } from '../../src/flows/rotate-secrets.ts';
import { secretsKeyId } from '../../src/kernel/secrets.ts';
import { requireKeys } from '../../src/open-sealer.ts';
import { SecretsKeyError } from '../../src/secrets-keys.ts';
import { listSecretsChecks } from '../../src/store/settings.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { type BusyShop, openBusyShop, unusedMailServer } from '../harness/busy-shop.ts';
import { Client } from '../harness/client.ts';
import { borrowTestDatabase, onPostgres, secretsKey, type TestDatabase } from '../harness/database.ts';
import { createOrderWithInvoice } from '../harness/orders.ts';

const oldKey = Buffer.from(secretsKey, 'hex');
const newKey = randomBytes(32);
const [oldId, newId] = [secretsKeyId(oldKey), secretsKeyId(newKey)];
const [old, next] = [oldKey.toString('hex'), newKey.toString('hex')];
const never = new AbortController().signal;

let database: TestDatabase;
let open: TestApp[];
let shop: BusyShop;
beforeEach(async () => {
  const made = await borrowTestDatabase();
  database = { ...made, drop: async () => {} };
  open = [];
  const app = await start({ SECRETS_KEY: old });
  shop = await openBusyShop(app);
  return made.drop;
});
afterEach(async () => {
  await Promise.all(open.map((app) => app.close()));
  await shop.close();
});

/** The service with these keys, on the same database and clock as before. */
async function start(keys: { SECRETS_KEY: string; SECRETS_KEY_PREVIOUS?: string }): Promise<TestApp> {
  const clock = open[0] ? { clock: open[0].clock } : {};
  const app = await openTestApp({ database, watch: false, env: { ...unusedMailServer, ...keys }, ...clock });
  open.push(app);
  return app;
}

async function stop(app: TestApp): Promise<void> {
  open = open.filter((one) => one !== app);
  await app.close();
}

const rotate = (app: TestApp) => rotateSecrets(app.parts.db, app.parts.sealer, { signal: never });

async function keysInUse(app: TestApp): Promise<string[]> {
  const uses = await countSealedByKey(app.parts.db);
  return [...new Set(uses.flatMap(({ counts }) => counts.map(({ keyId }) => keyId)))].sort();
}

/** Everything that a sealed value is for still works, with the same secrets as before. */
async function expectShopToWork(app: TestApp): Promise<void> {
  const { merchant, secrets } = shop;
  const client = new Client(app.app, merchant.test.key, merchant.test.id);
  // Media keys and their token.
  const shown = await client.get(`/api/v1/m/media_keys/${shop.mediaKeyId}/key`);
  expect(shown.body).toMatchObject({ key: secrets.get('media key'), previous_key: secrets.get('previous media key') });
  const verified = await client.post('/api/v1/m/access/verify', {
    access_token: shop.accessToken,
    media_key_id: shop.mediaKeyId,
  });
  expect([verified.status, verified.body.key]).toEqual([200, secrets.get('media key')]);
  // A kept answer.
  const replayed = await shop.replay(client);
  expect([replayed.headers['idempotent-replayed'], replayed.body.key]).toEqual(['true', secrets.get('media key')]);
  // Webhooks are signed with both secrets, as before.
  const before = shop.receiver.received.length;
  await client.post(`/api/v1/m/webhooks/${shop.webhookId}/test`, {});
  await app.deliverDue();
  const told = shop.receiver.received.at(-1)!;
  expect(shop.receiver.received.length).toBeGreaterThan(before);
  const signature = (secret: string) => `sha256=${createHmac('sha256', secret).update(told.body).digest('hex')}`;
  expect(told.headers['x-service-signature']).toBe(signature(secrets.get('webhook secret')!));
  expect(told.headers['x-service-signature-previous']).toBe(signature(secrets.get('previous webhook secret')!));
  // The customer's link, and the wallets: the same one is known again, both make invoices.
  const subscription = await client.get(`/api/v1/m/subscriptions/${shop.subscriptionId}`);
  expect(subscription.body.customer_url).toContain(secrets.get('customer’s link'));
  const scope = { merchantId: merchant.id, livemode: false };
  const again = connectWallet(app.parts, scope, { connection: shop.phoenixd.connection }, never);
  await expect(again).rejects.toMatchObject({ code: 'conflict' });
  for (const wallet_id of [shop.phoenixd.walletId, undefined]) {
    const { invoice } = await createOrderWithInvoice(client, wallet_id ? { wallet_id } : {});
    expect(invoice.payment_request).toMatch(/^lnbcrt/);
  }
}

async function payOpenInvoice(app: TestApp): Promise<void> {
  const client = new Client(app.app, shop.merchant.test.key, shop.merchant.test.id);
  const paid = await client.post(`/api/v1/m/invoices/${shop.openInvoiceId}/simulate_payment`);
  expect([paid.status, paid.body.error]).toEqual([200, undefined]);
  const { body } = await client.get(`/api/v1/m/invoices/${shop.openInvoiceId}/status`);
  expect(body.paid).toBe(true);
  const [row] = await app.rows<{ preimage: string }>('select preimage from payments where invoice_id = $1', [
    shop.openInvoiceId,
  ]);
  expect(row!.preimage).toBe(shop.secrets.get('preimage of an unpaid invoice'));
}

describe('the secrets key is changed', () => {
  test('everything opens with the new key alone afterwards, and an invoice from before is paid', async () => {
    await stop(open[0]!);
    const both = await start({ SECRETS_KEY: next, SECRETS_KEY_PREVIOUS: old });
    expect(await keysInUse(both)).toEqual([oldId]);
    await expectShopToWork(both);
    expect(await keysInUse(both)).toEqual([oldId, newId].sort());
    const first = await rotate(both);
    expect(first.damaged).toEqual([]);
    expect(first.columns.filter(({ sealedAnew }) => sealedAnew === 0).map(({ column }) => column.column)).toEqual([]);
    expect(await keysInUse(both)).toEqual([newId]);
    // Again: there is nothing left to do.
    expect((await rotate(both)).columns.every(({ sealedAnew }) => sealedAnew === 0)).toBe(true);
    await stop(both);

    await expect(start({ SECRETS_KEY: old })).rejects.toThrow(SecretsKeyError);
    const after = await start({ SECRETS_KEY: next });
    await expectShopToWork(after);
    await payOpenInvoice(after);
  });

  test('stopped after any step it goes on, and until it is done both keys are needed', async () => {
    await stop(open[0]!);
    const both = await start({ SECRETS_KEY: next, SECRETS_KEY_PREVIOUS: old });
    // A key that is missing stops it before anything is changed.
    const before = await both.rows('select * from webhooks');
    const stranger = randomBytes(32);
    const begun = await listSecretsChecks(both.parts.db);
    expect(() => requireKeys({ current: newKey, previous: [stranger] }, begun)).toThrow(SecretsKeyError);
    const known = requireRotatable(both.parts.db, newId, new Set([newId, secretsKeyId(stranger)]));
    await expect(known).rejects.toThrow(new RegExp(`\\d+ in wallets\\.credentials under ${oldId}`));
    expect(await both.rows('select * from webhooks')).toEqual(before);

    const total = (await countSealedByKey(both.parts.db)).filter(({ counts }) =>
      counts.some((one) => one.keyId === oldId),
    );
    let stops = 0;
    for (let done = false; !done; ) {
      const stopped = new AbortController();
      // Each try ends with the first column that it has sealed anew.
      done = await rotateSecrets(both.parts.db, both.parts.sealer, {
        signal: stopped.signal,
        onProgress: () => stopped.abort(),
      }).then(
        () => true,
        (error) => {
          expect(error).toBeInstanceOf(RotationRefused);
          return false;
        },
      );
      if (done) break;
      stops++;
      if (stops === 2) {
        await expectShopToWork(both);
        const checks = await listSecretsChecks(both.parts.db);
        for (const only of [oldKey, newKey]) {
          expect(() => requireKeys({ current: only, previous: [] }, checks)).toThrow(SecretsKeyError);
        }
        const missing = `under another secrets key, ${oldId}`;
        expect(() => requireKeys({ current: newKey, previous: [] }, checks)).toThrow(missing);
      }
    }
    expect(stops).toBe(total.length);
    await stop(both);
    await payOpenInvoice(await start({ SECRETS_KEY: next }));
  });

  test('a damaged value keeps it open and is named; the others are sealed anew', async () => {
    const [app] = open as [TestApp];
    await app.rows(`update webhooks set secret = set_byte(secret, 30, get_byte(secret, 30) # 1)`);
    await stop(app);
    const both = await start({ SECRETS_KEY: next, SECRETS_KEY_PREVIOUS: old });
    expect((await rotate(both)).damaged).toEqual([`webhooks.secret ${shop.webhookId}`]);
    expect(await listSecretsChecks(both.parts.db)).toHaveLength(2);
    await both.rows('delete from webhooks');
    expect((await rotate(both)).damaged).toEqual([]);
    expect(await listSecretsChecks(both.parts.db)).toHaveLength(1);
  });

  test('what derived keys follow from outlives the first key of a database from before', async () => {
    const [app] = open as [TestApp];
    const place = { table: 'settings', column: 'value', row: 'secrets_check' };
    await app.rows('delete from settings');
    await app.rows(`insert into settings (key, value) values ('secrets_check', $1)`, [
      app.parts.sealer.seal('satline', place),
    ]);
    await stop(app);
    const before = await start({ SECRETS_KEY: old });
    const derived = before.parts.sealer.deriveKey('wallet identity');
    await stop(before);
    const both = await start({ SECRETS_KEY: next, SECRETS_KEY_PREVIOUS: old });
    await rotate(both);
    await stop(both);
    const after = await start({ SECRETS_KEY: next });
    expect(after.parts.sealer.deriveKey('wallet identity').equals(derived)).toBe(true);
    expect(await after.rows('select key from settings order by key')).toEqual([
      { key: 'installation_secret' },
      { key: `secrets_check ${newId}` },
    ]);
  });
});

describe.skipIf(!onPostgres)('beside running processes', () => {
  test('it goes on under traffic, waits for no row, and refuses while a process seals under the old key', async () => {
    const [running] = open as [TestApp];
    const checks = await listSecretsChecks(running.parts.db);
    const both = await start({ SECRETS_KEY: next, SECRETS_KEY_PREVIOUS: old });
    await expect(rotate(both)).rejects.toThrow(`A running Satline seals under another key, ${oldId}`);
    const looked = requireRotatable(both.parts.db, newId, new Set([oldId, newId]));
    await expect(looked).rejects.toThrow(RotationRefused);
    expect(checks).toHaveLength(1);
    await stop(running);

    // Under traffic, and with a row that somebody holds: it is left for a later look, and nobody waits for anybody.
    let busy = true;
    const client = new Client(both.app, shop.merchant.test.key, shop.merchant.test.id);
    const traffic = (async () => {
      const path = '/api/v1/m/media_keys';
      for (let call = 0; busy; call++) {
        const cleared = await client.post(`${path}/${shop.mediaKeyId}/clear_old_key`, {});
        const rotated = await client.post(`${path}/${shop.mediaKeyId}/rotate`, {});
        const made = await client.post(path, { media_key: {} }, { 'idempotency-key': `during ${call}` });
        expect([cleared.status, rotated.status, made.status]).toEqual([200, 200, 201]);
      }
    })();
    const holder = new pg.Client({ connectionString: database.env.DATABASE_URL });
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query('select from invoices where id = $1 for update', [shop.openInvoiceId]);
      const seen = new Set<string>();
      let isHeld = true;
      const onProgress = async ({ table }: { table: string }) => {
        seen.add(table);
        if (table !== 'mails' || !isHeld) return;
        // The last column was done while the row was held.
        isHeld = false;
        expect(await keysInUse(both)).toEqual([oldId, newId].sort());
        await holder.query('rollback');
      };
      await rotateSecrets(both.parts.db, both.parts.sealer, { signal: never, onProgress });
      expect([isHeld, seen.has('invoices')]).toEqual([false, true]);
    } finally {
      await holder.end();
      busy = false;
      await traffic;
    }
    expect(await keysInUse(both)).toEqual([newId]);
    await payOpenInvoice(both);
  });
});
