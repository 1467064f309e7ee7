import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestMerchant } from '../../harness/app.ts';
import { orderBody } from '../../harness/orders.ts';
import { describeRefusals } from '../../harness/refusals.ts';
import { addWallet, testWalletId } from '../../harness/wallets.ts';
import { type PhoenixdServer, startPhoenixdServer } from '../../rig/phoenixd-server.ts';
import { LnurlServer } from '../../support/lnurl-server.ts';
import { PaperNode } from '../../support/paper-node.ts';

let app: TestApp;
let node: PaperNode;
let server: PhoenixdServer;
beforeAll(async () => {
  app = await openTestApp();
  node = new PaperNode(app.clock);
  server = await startPhoenixdServer(node);
});
afterAll(async () => {
  await server.stop();
  await app.close();
});
afterEach(() => {
  server.outage = 'none';
});

const path = '/api/v1/m/wallets';
const connection = (password = server.limitedPassword) => `type=phoenixd;server=${server.url}/;password=${password}`;
const connect = (merchant: TestMerchant, members: Record<string, unknown> = {}) =>
  merchant.test.post(path, { wallet: { connection: connection(), ...members } });

const makeLive = (merchant: TestMerchant) =>
  addWallet(app, merchant, { livemode: true, connection: 'lightning_address', lightning_address: 'a@b.test' });
const terms = {
  permission: 'wallets:write',
  resource: 'Wallet',
  make: (m: TestMerchant) => testWalletId(app, m),
  makeLive,
} as const;
describeRefusals(() => app, {
  ...terms,
  method: 'PATCH',
  path: (id) => `${path}/${id}`,
  body: () => ({ wallet: { name: 'x' } }),
});
describeRefusals(() => app, { ...terms, method: 'DELETE', path: (id) => `${path}/${id}`, success: 204 });
describeRefusals(() => app, { ...terms, method: 'POST', path: (id) => `${path}/${id}/probe`, body: () => undefined });

test('a wallet is connected, last in line, and its credential is answered nowhere', async () => {
  const merchant = await app.newMerchant();
  const reply = await connect(merchant, { name: 'Till', max_payment_sats: 5000 });
  expect(reply.status).toBe(201);
  expect(reply.body).toMatchObject({
    object: 'wallet',
    livemode: false,
    name: 'Till',
    connection: 'phoenixd',
    operational: true,
    position: 2,
    settlement_visibility: 'proof',
    lightning: { lightning_address: null, max_payment_sats: 5000 },
  });
  const shown = JSON.stringify([reply.body, (await merchant.test.get(`${path}/${reply.body.id}`)).body]);
  expect(shown).not.toContain(server.limitedPassword);
  const [row] = await app.rows<{ credentials: Buffer }>('select credentials from wallets where id = $1', [
    reply.body.id,
  ]);
  expect(Buffer.from(row!.credentials).toString('latin1')).not.toContain(server.limitedPassword);
});

test('the same key makes one wallet, the same wallet twice is a conflict', async () => {
  const merchant = await app.newMerchant();
  const headers = { 'idempotency-key': 'connect-1' };
  const body = { wallet: { connection: connection() } };
  const first = await merchant.test.post(path, body, headers);
  const again = await merchant.test.post(path, body, headers);
  expect([first.status, again.body.id]).toEqual([201, first.body.id]);
  expect((await connect(merchant)).status).toBe(409);
});

test('a credential that could spend is refused with the way to a better one, unless it is wanted', async () => {
  const merchant = await app.newMerchant();
  const spending = { connection: connection(server.fullPassword) };
  const refused = await connect(merchant, spending);
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body)).toMatch(/could spend.*http-password-limited-access/);
  expect(JSON.stringify(refused.body)).not.toContain(server.fullPassword);
  expect((await connect(merchant, { ...spending, accept_spend_risk: true })).status).toBe(201);
});

test('a wallet of a test network is none for live payments', async () => {
  const merchant = await app.newMerchant();
  const reply = await merchant.live.post(path, { wallet: { connection: connection() } });
  expect(reply.status).toBe(422);
  expect(JSON.stringify(reply.body)).toContain('regtest');
});

test.each([
  [{ wallet: {} }, 422],
  [{ wallet: { connection: 'nonsense' } }, 422],
  [{ wallet: { connection: 7 } }, 422],
  [{}, 422],
])('%j is refused', async (body, status) => {
  const merchant = await app.newMerchant();
  expect((await merchant.test.post(path, body)).status).toBe(status);
  expect((await merchant.publishable.post(path, body)).status).toBe(403);
  expect((await app.stranger.post(path, body)).status).toBe(401);
});

test('a wallet that does not answer is said to be away, and nothing is saved', async () => {
  const merchant = await app.newMerchant();
  server.outage = 'fail';
  const reply = await connect(merchant);
  expect([reply.status, reply.body.error?.code ?? reply.body.code]).toEqual([503, 'wallet_unavailable']);
  expect(JSON.stringify(reply.body)).not.toMatch(/html|app\.py/);
  expect((await merchant.test.get(path)).body.data).toHaveLength(1);
});

test('members are changed one by one; a switched-off wallet gets no invoices', async () => {
  const merchant = await app.newMerchant();
  const id = await testWalletId(app, merchant);
  const patch = (wallet: Record<string, unknown>) => merchant.test.patch(`${path}/${id}`, { wallet });
  expect((await patch({ name: 'Shop', position: 7, max_payment_sats: 900 })).body).toMatchObject({
    name: 'Shop',
    position: 7,
    enabled: true,
    lightning: { max_payment_sats: 900 },
  });
  expect((await patch({ max_payment_sats: null })).body).toMatchObject({ lightning: { max_payment_sats: null } });
  expect((await patch({ enabled: false })).body).toMatchObject({ name: 'Shop', enabled: false, operational: false });
  const order = await merchant.test.post('/api/v1/m/orders', orderBody({}, { generate_invoice: true }));
  expect(order.status).toBe(422);
  expect((await patch({ max_payment_sats: 0 })).status).toBe(422);
});

test('a removed wallet is gone from every list, its open invoice is still paid, then its credential is erased', async () => {
  const merchant = await app.newMerchant();
  await merchant.test.patch(`${path}/${await testWalletId(app, merchant)}`, { wallet: { enabled: false } });
  const { body: wallet } = await connect(merchant);
  const { body: order } = await merchant.test.post('/api/v1/m/orders', orderBody({}, { generate_invoice: true }));
  const { id, payment_hash: hash } = order.invoice;
  expect((await merchant.test.delete(`${path}/${wallet.id}`)).status).toBe(204);
  expect((await merchant.test.get(`${path}/${wallet.id}`)).status).toBe(404);
  expect((await merchant.test.delete(`${path}/${wallet.id}`)).status).toBe(404);
  const shown = [
    (await merchant.test.get(path)).body.data,
    (await merchant.test.get('/api/v1/m/merchant')).body.wallets,
    (await merchant.test.get(`/api/v1/m/orders/${order.id}?expand=merchant`)).body.merchant.wallets,
  ];
  for (const wallets of shown) {
    expect(wallets.length).toBeGreaterThan(0);
    expect(wallets.map((one: { id: string }) => one.id)).not.toContain(wallet.id);
  }
  node.pay(hash);
  app.clock.advanceSeconds(5);
  const status = await merchant.test.get(`/api/v1/m/invoices/${id}/status`);
  expect(status.body).toMatchObject({ paid: true });
  expect((await connect(merchant)).status).toBe(201);
});

test('a probe closes the breaker, and its failure is told', async () => {
  const merchant = await app.newMerchant();
  const { body: wallet } = await connect(merchant);
  server.outage = 'fail';
  expect((await merchant.test.post(`${path}/${wallet.id}/probe`)).status).toBe(503);
  expect((await merchant.test.get(`${path}/${wallet.id}`)).body).toMatchObject({ consecutive_failures: 1 });
  server.outage = 'none';
  const probed = await merchant.test.post(`${path}/${wallet.id}/probe`);
  expect(probed.body).toMatchObject({ consecutive_failures: 0, last_error: null, operational: true });
});

test('a wallet on a private network is reached only where the operator has named its host', async () => {
  const shut = await openTestApp({ allowPrivateNetworks: false, watch: false });
  const body = { wallet: { connection: connection() } };
  const refused = await (await shut.newMerchant()).test.post(path, body);
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    422,
    expect.stringContaining('must start with https'),
  ]);
  await shut.close();
  const host = new URL(server.url).host;
  const named = await openTestApp({
    allowPrivateNetworks: false,
    watch: false,
    env: { WALLET_HOSTS: `lnd.lan:8080,${host}` },
  });
  expect((await (await named.newMerchant()).test.post(path, body)).status).toBe(201);
  await named.close();
});

test('so is a lightning address there, and what its server names elsewhere is reached as it always is', async () => {
  const [ours, other] = [await LnurlServer.start(app.clock), await LnurlServer.start(app.clock)];
  const env = { WALLET_HOSTS: ours.host };
  const named = await openTestApp({ allowPrivateNetworks: false, watch: false, env });
  const connectTo = async ({ address }: LnurlServer) =>
    (await named.newMerchant()).test.post(path, { wallet: { connection: address } });
  try {
    expect((await connectTo(ours)).body).toMatchObject({ settlement_visibility: 'proof' });
    expect((await connectTo(other)).status).toBe(422);
    for (const callback of [`http://${other.host}/callback`, 'http://wallet.example/callback']) {
      ours.behaviour = { payRequest: (answer) => ({ ...answer, callback }) };
      expect([callback, (await connectTo(ours)).status]).toEqual([callback, 422]);
    }
    expect(other.requests).toEqual([]);
  } finally {
    await named.close();
    await Promise.all([ours.stop(), other.stop()]);
  }
});
