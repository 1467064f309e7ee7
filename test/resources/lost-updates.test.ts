import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { saveWallet, tryWallet } from '../../src/flows/connect-wallet.ts';
import { operations } from '../../src/resources/index.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { createDiscount, createProduct, createProductType, createTax } from '../harness/catalog.ts';
import type { Client, Reply } from '../harness/client.ts';
import { onPostgres } from '../harness/database.ts';
import { createChannel } from '../harness/directory.ts';
import { commitWhileWaiting, untilWaiting, whileLocked } from '../harness/interleave.ts';
import { createOrder } from '../harness/orders.ts';
import { addWallet } from '../harness/wallets.ts';
import { startPhoenixdServer } from '../rig/phoenixd-server.ts';
import { PaperNode } from '../support/paper-node.ts';

if (!onPostgres) console.log('SKIPPED: two calls at once need two connections; set TEST_DATABASE_URL');

let app: TestApp;
let merchant: TestMerchant;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterAll(() => app.close());

interface Changed {
  table: string;
  /** What the operation wraps its members in. */
  noun: string;
  path?: string;
  make(client: Client): Promise<string>;
  /** Two changes that have nothing to do with each other. */
  changes: [Record<string, unknown>, Record<string, unknown>];
  /** A change of the second that shows under another name. */
  shownAs?: string;
  removable: boolean;
}

const made = async (path: string, noun: string, members: Record<string, unknown>) => {
  const reply = await merchant.test.post(`/api/v1/m/${path}`, { [noun]: members });
  expect(reply.status).toBe(201);
  return reply.body.id as string;
};
const key = Buffer.alloc(32, 7).toString('base64url');

const kinds: Record<string, Changed> = {
  update_wallet: {
    table: 'wallets',
    noun: 'wallet',
    make: () => addWallet(app, merchant),
    changes: [{ name: 'Till' }, { enabled: false }],
    removable: true,
  },
  update_channel: {
    table: 'channels',
    noun: 'channel',
    make: async (client) => (await createChannel(client)).id,
    changes: [{ name: 'Cellar' }, { nsfw: true }],
    removable: true,
  },
  update_webhook: {
    table: 'webhooks',
    noun: 'webhook',
    make: () => made('webhooks', 'webhook', { url: 'https://shop.example/hook', events: ['order.paid'] }),
    changes: [{ description: 'Till' }, { active: false }],
    removable: true,
  },
  update_api_token: {
    table: 'api_keys',
    noun: 'api_token',
    make: () => made('api_tokens', 'api_token', { name: 'Robot' }),
    changes: [{ name: 'Till' }, { rpm_limit: 50 }],
    removable: true,
  },
  update_tax: {
    table: 'taxes',
    noun: 'tax',
    make: async (client) => (await createTax(client)).id,
    changes: [{ name: 'VAT' }, { enabled: false }],
    removable: true,
  },
  update_discount: {
    table: 'discounts',
    noun: 'discount',
    make: async (client) => (await createDiscount(client)).id,
    changes: [{ name: 'Late' }, { enabled: false }],
    removable: true,
  },
  update_product: {
    table: 'products',
    noun: 'product',
    make: async (client) => (await createProduct(client)).id,
    changes: [{ name: 'Tea' }, { price_cents: 300 }],
    // It is only archived.
    removable: false,
  },
  update_product_type: {
    table: 'product_types',
    noun: 'product_type',
    make: async (client) => (await createProductType(client)).id,
    changes: [{ name: 'Cakes' }, { position: 9 }],
    removable: true,
  },
  update_media_key: {
    table: 'media_keys',
    noun: 'media_key',
    make: () => made('media_keys', 'media_key', { name: 'Album' }),
    changes: [{ browser_delivery: true }, { browser_delivery: true, key }],
    shownAs: 'key_fingerprint',
    removable: true,
  },
  update_order: {
    table: 'orders',
    noun: 'order',
    make: async (client) => (await createOrder(client)).id,
    changes: [{ metadata: { table: 'window' } }, { po_number: 'PO 7' }],
    removable: false,
  },
  update_merchant: {
    table: 'merchants',
    noun: 'merchant',
    path: '/api/v1/m/merchant',
    make: async () => merchant.id,
    changes: [{ name: 'Corner' }, { time_zone: 'Europe/Berlin' }],
    removable: false,
  },
};

test('every operation that changes members is among these', () => {
  const patches = operations.filter(({ method }) => method === 'PATCH').map(({ name }) => name);
  expect(Object.keys(kinds).toSorted()).toEqual(patches.toSorted());
});

describe.skipIf(!onPostgres).each(Object.entries(kinds))('%s', (name, { table, noun, make, changes, ...more }) => {
  const pathOf = (id: string) =>
    more.path ?? operations.find((operation) => operation.name === name)!.path.replace('{id}', id);

  /** From the list, where a kind is not shown one by one. */
  const show = async (id: string) => {
    const { status, body } = await merchant.test.get(pathOf(id));
    if (status === 200) return body;
    const { body: list } = await merchant.test.get(pathOf('').replace(/\/$/, ''));
    return (list.data ?? []).find((one: { id: string }) => one.id === id);
  };

  test('leaves alone what another call changes at the same moment', async () => {
    const id = await make(merchant.test);
    const replies: Promise<Reply>[] = [];
    await whileLocked(app, table, id, async () => {
      for (const [index, change] of changes.entries()) {
        replies.push(merchant.test.patch(pathOf(id), { [noun]: change }));
        await untilWaiting(app, index + 1);
      }
    });
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 200]);
    const body = await show(id);
    expect(body).toMatchObject(changes[0]);
    if (more.shownAs) expect(body[more.shownAs]).toBe((await replies[1]!).body[more.shownAs]);
    else expect(body).toMatchObject(changes[1]);
  });

  if (!more.removable) return;
  test('does not bring back what is removed at the same moment', async () => {
    const id = await make(merchant.test);
    const replies: Promise<Reply>[] = [];
    await whileLocked(app, table, id, async () => {
      replies.push(merchant.test.delete(pathOf(id)));
      await untilWaiting(app, 1);
      replies.push(merchant.test.patch(pathOf(id), { [noun]: changes[0] }));
      await untilWaiting(app, 2);
    });
    const [removed, changed] = (await Promise.all(replies)).map(({ status }) => status);
    expect([200, 204]).toContain(removed);
    expect(changed).toBe(404);
    expect((await merchant.test.get(pathOf(id))).status).not.toBe(200);
  });
});

test.skipIf(!onPostgres)('one wallet that is connected twice at the same moment is a conflict', async () => {
  const server = await startPhoenixdServer(new PaperNode(app.clock));
  const scope = { merchantId: merchant.id, livemode: false };
  const connection = `type=phoenixd;server=${server.url}/;password=${server.limitedPassword}`;
  const attempt = () => tryWallet(app.parts, scope, { connection }, new AbortController().signal);
  const [one, two] = await Promise.all([attempt(), attempt()]);
  const [saved, late] = await commitWhileWaiting(
    app,
    (tx) => saveWallet(tx, app.parts, scope, one),
    () => app.parts.db.transaction((tx) => saveWallet(tx, app.parts, scope, two)),
  );
  await server.stop();
  expect(saved.id).toBe(one.draft.id);
  expect(late).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
  expect((late as PromiseRejectedResult).reason.message).toContain(saved.id);
});

test.skipIf(!onPostgres)(
  'a channel that is changed while its merchant is renamed is found by the new name',
  async () => {
    const { id } = await createChannel(merchant.test);
    const replies: Promise<Reply>[] = [];
    await whileLocked(app, 'channels', id, async () => {
      replies.push(merchant.test.patch('/api/v1/m/merchant', { merchant: { name: 'Zanzibar' } }));
      await untilWaiting(app, 1);
      replies.push(merchant.test.patch(`/api/v1/m/channels/${id}`, { channel: { bio: 'Cloves' } }));
      await untilWaiting(app, 2);
    });
    const [, changed] = await Promise.all(replies);
    expect(changed!.body).toMatchObject({ bio: 'Cloves', merchant_name: 'Zanzibar' });
    const [row] = await app.rows<{ search: string }>('select search::text from channels where id = $1', [id]);
    expect(row!.search).toContain('zanzibar');
  },
);
