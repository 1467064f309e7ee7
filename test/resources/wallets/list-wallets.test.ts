import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import type { Client } from '../../harness/client.ts';
import { anId, expectInvalid, unknownFilter } from '../../harness/expect.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { addWallet, changeWallet, testWalletId } from '../../harness/wallets.ts';

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
});
afterAll(() => app.close());

const path = '/api/v1/m/wallets';
const now = '2027-03-01T10:00:00.000Z';

async function listed(client: Client, query = ''): Promise<string[]> {
  const reply = await client.get(`${path}?${query}`);
  expect(reply.status).toBe(200);
  return reply.body.data.map((wallet: { id: string }) => wallet.id);
}

describeRefusals(() => app, { method: 'GET', path: () => path, permission: 'wallets:read' });

test('lists every member of a wallet and nothing of its secrets', async () => {
  const { test: client } = await app.newMerchant();
  const reply = await client.get(path);
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({
    object: 'list',
    data: [
      {
        object: 'wallet',
        livemode: false,
        id: anId(),
        name: 'Simulated test wallet',
        wallet_type: 'lightning',
        connection: 'simulated',
        status: 'active',
        enabled: true,
        is_default: true,
        position: 1,
        operational: true,
        settlement_visibility: 'proof',
        lightning: { lightning_address: 'test@simulated.invalid', max_payment_sats: null },
        created_at: now,
        updated_at: now,
      },
    ],
    meta: { current_page: 1, per_page: 25, total_count: 1, total_pages: 1, next_page: null, prev_page: null },
  });
});

test('goes by position, and the first enabled one is the default', async () => {
  const merchant = await app.newMerchant();
  const first = await testWalletId(app, merchant);
  const third = await addWallet(app, merchant, { position: 3 });
  const second = await addWallet(app, merchant, { position: 2 });
  expect(await listed(merchant.test)).toEqual([first, second, third]);
  const defaults = async () => listed(merchant.test, 'q[is_default_eq]=true');
  expect(await defaults()).toEqual([first]);
  await changeWallet(app, first, { enabled: false });
  expect(await defaults()).toEqual([second]);
  const { body } = await merchant.test.get(path);
  expect(body.data[0]).toMatchObject({ id: first, enabled: false, status: 'disabled', operational: false });
});

test('shows the smaller of the merchant’s and the wallet’s own limit', async () => {
  const merchant = await app.newMerchant();
  await changeWallet(app, await testWalletId(app, merchant), { max_payment_sats: 500, max_sats: 400 });
  await addWallet(app, merchant, { max_payment_sats: 300, max_sats: 400 });
  await addWallet(app, merchant, { max_sats: 9_007_199_254_740_991, position: 3 });
  const { body } = await merchant.test.get(path);
  const limits = body.data.map(
    (wallet: { lightning: { max_payment_sats: number } }) => wallet.lightning.max_payment_sats,
  );
  expect(limits).toEqual([400, 300, 9_007_199_254_740_991]);
});

test('is not operational when settlement cannot be seen, or while the breaker is open', async () => {
  const merchant = await app.newMerchant();
  const broken = await testWalletId(app, merchant);
  await addWallet(app, merchant, { settlement_visibility: 'none' });
  await app.rows(`update wallets set broken_until = clock_timestamp() + interval '1 minute' where id = $1`, [broken]);
  const { body } = await merchant.test.get(path);
  expect(body.data.map((wallet: { operational: boolean }) => wallet.operational)).toEqual([false, false]);
});

describe('filters', () => {
  let merchant: TestMerchant;
  let other: TestMerchant;
  let ids: Record<'test' | 'off' | 'live', string>;
  beforeAll(async () => {
    [merchant, other] = [await app.newMerchant(), await app.newMerchant()];
    ids = {
      test: await testWalletId(app, merchant),
      off: await addWallet(app, merchant, { enabled: false, name: '100% _mine_' }),
      live: await addWallet(app, merchant, {
        livemode: true,
        connection: 'lightning_address',
        lightning_address: 'a@b.test',
      }),
    };
  });

  test.each([
    ['', ['test', 'off']],
    ['q[enabled_eq]=true', ['test']],
    ['q[enabled_eq]=false', ['off']],
    ['q[enabled_not_eq]=true', ['off']],
    ['q[is_default_eq]=false', ['off']],
    ['q[status_eq]=active', ['test']],
    ['q[status_eq]=disabled', ['off']],
    ['q[status_in]=disabled,active', ['test', 'off']],
    ['q[wallet_type_eq]=lightning', ['test', 'off']],
    ['q[name_eq]=Simulated test wallet', ['test']],
    ['q[name_cont]=SIMULATED', ['test']],
    ['q[name_cont]=%25', ['off']],
    ['q[name_cont]=_', ['off']],
    ['q[name_cont]=nothing', []],
  ] as [string, ('test' | 'off')[]][])('%s', async (query, names) => {
    expect(await listed(merchant.test, query)).toEqual(names.map((name) => ids[name]));
  });

  test('see the caller’s own, in the key’s mode', async () => {
    expect(await listed(merchant.live)).toEqual([ids.live]);
    expect(await listed(merchant.test, `q[merchant_id_eq]=${merchant.id}`)).toEqual([ids.test, ids.off]);
    expect(await listed(merchant.test, `q[merchant_id_eq]=${other.id}`)).toEqual([]);
    expect(await listed(other.live)).toEqual([]);
  });

  test.each([
    ['q[enabled_eq]=maybe', 'q[enabled_eq] must be true or false'],
    ['q[enabled_eq]=1', 'q[enabled_eq] must be true or false'],
    ['enabled=true', /write q\[enabled_eq\]/],
    ['q[status_eq]=pending', 'q[status_eq] must be one of active, disabled'],
    ['q[wallet_type_eq]=onchain', 'q[wallet_type_eq] must be one of lightning'],
    ['q[position_eq]=1', unknownFilter('q[position_eq]')],
  ] as [string, string | RegExp][])('refuse %s by name', async (query, sentence) => {
    expectInvalid(await merchant.test.get(`${path}?${query}`), sentence);
  });
});

test('pages', async () => {
  const merchant = await app.newMerchant();
  await addWallet(app, merchant);
  const { body } = await merchant.test.get(`${path}?per_page=1&page=2`);
  expect(body.data[0].name).toBe('Second wallet');
  expect(body.meta).toMatchObject({ total_count: 2, total_pages: 2, prev_page: 1, next_page: null });
});
