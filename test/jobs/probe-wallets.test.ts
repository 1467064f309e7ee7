import { afterAll, beforeAll, expect, test } from 'vitest';
import { probeDueWallets } from '../../src/jobs/probe-wallets.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { type PhoenixdServer, startPhoenixdServer } from '../rig/phoenixd-server.ts';
import { PaperNode } from '../support/paper-node.ts';

let app: TestApp;
let server: PhoenixdServer;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  server = await startPhoenixdServer(new PaperNode(app.clock));
});
afterAll(async () => {
  await server.stop();
  await app.close();
});

const round = () => probeDueWallets(app.parts, new AbortController().signal);

test('a wallet is asked once a day what it can do; what fails then is asked again a day later', async () => {
  const merchant = await app.newMerchant();
  const path = '/api/v1/m/wallets';
  const connection = `type=phoenixd;server=${server.url}/;password=${server.limitedPassword}`;
  const { body: wallet } = await merchant.test.post(path, { wallet: { connection } });
  const shown = async () => (await merchant.test.get(`${path}/${wallet.id}`)).body;

  app.clock.advanceSeconds(23 * 3600);
  expect(await round()).toBe(0);
  server.outage = 'fail';
  app.clock.advanceSeconds(3600);
  expect(await round()).toBe(1);
  expect(await shown()).toMatchObject({ consecutive_failures: 1, last_checked_at: app.clock.now().toISOString() });
  expect(await round()).toBe(0);

  server.outage = 'none';
  app.clock.advanceSeconds(24 * 3600);
  expect(await Promise.all([round(), round()])).toContain(1);
  expect(await shown()).toMatchObject({ consecutive_failures: 0, last_error: null });
  expect(await round()).toBe(0);
});

test('a wallet that is switched off or removed is left alone', async () => {
  const merchant = await app.newMerchant();
  const connection = `type=phoenixd;server=${server.url}/;password=${server.limitedPassword}`;
  const { body: wallet } = await merchant.test.post('/api/v1/m/wallets', { wallet: { connection } });
  await merchant.test.patch(`/api/v1/m/wallets/${wallet.id}`, { wallet: { enabled: false } });
  app.clock.advanceSeconds(25 * 3600);
  await round();
  expect((await merchant.test.get(`/api/v1/m/wallets/${wallet.id}`)).body.last_checked_at).toBe(wallet.last_checked_at);
});
