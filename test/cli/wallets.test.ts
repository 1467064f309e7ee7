import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { instead, LnurlServer } from '../support/lnurl-server.ts';
import { satlineHere } from './run-in-process.ts';
import { satline } from './run-satline.ts';

let database: TestDatabase;
let server: LnurlServer;
beforeAll(async () => {
  server = await LnurlServer.start();
  database = await createTestDatabase();
  await run('merchant', 'create', '--name', 'Shop', '--email', 'shop@example.com');
});
afterAll(async () => {
  await server.stop();
  await database.drop();
});
beforeEach(() => {
  server.behaviour = {};
});

const environment = () => ({ ...database.env, ALLOW_PRIVATE_NETWORKS: 'true', HOST: '127.0.0.1' });
const run = (...words: string[]) => satlineHere(environment(), ...words);

describe('wallets', { timeout: 180_000 }, () => {
  let walletId: string;

  test('one that cannot tell when it was paid is refused, and how to save it anyway is said', async () => {
    server.behaviour = { callback: ({ pr, routes }) => ({ pr, routes }) };
    const refused = await run('wallet', 'add', server.address);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(/does not tell whether an invoice was paid.*--save-anyway\.\n$/);
  });

  test('one that answers is connected', async () => {
    const added = await satline(
      environment(),
      ...['wallet', 'add', `Alice@${server.host}`, '--name', 'Till', '--max-payment-sats', '5000', '--json'],
    );
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.json()).toMatchObject({
      object: 'wallet',
      livemode: false,
      name: 'Till',
      connection: 'lightning_address',
      operational: true,
      settlement_visibility: 'proof',
      lightning: { lightning_address: server.address, max_payment_sats: 5000 },
      min_sats: 1,
      max_sats: 100_000_000,
      notes: [],
    });
    walletId = added.json().id;
  });

  test('one of the real network belongs to live mode', async () => {
    server.behaviour = { network: 'mainnet' };
    const inTest = await run('wallet', 'add', `bob@${server.host}`, '--json');
    expect(inTest.code).toBe(1);
    expect(inTest.json().message).toMatch(/invoice for mainnet.*added with --live\.$/);
    expect(inTest.stderr.trim().split('\n')).toHaveLength(1);
    const live = await run('wallet', 'add', '--live', `bob@${server.host}`);
    expect(live).toMatchObject({ code: 0, stderr: '' });
    expect(live.stdout).toMatch(/mode {2,}live\n {2}state {2,}takes payments, first in line\n {2}settlement {2,}seen/);
  });

  test('one that is switched off says so in the list', async () => {
    expect((await run('wallet', 'disable', walletId, '--json')).json()).toMatchObject({ status: 'disabled' });
    const wallets = (await run('wallet', 'list', '--json')).json().data;
    expect(wallets.map((wallet: Record<string, unknown>) => [wallet.livemode, wallet.name, wallet.enabled])).toEqual([
      [true, `bob@${server.host}`, true],
      [false, 'Simulated test wallet', true],
      [false, 'Till', false],
    ]);
  });

  test('the simulated one does what it is told, and nothing else', async () => {
    const wallets = (await run('wallet', 'list', '--json')).json().data;
    const { id } = wallets.find((wallet: Record<string, unknown>) => wallet.connection === 'simulated');
    const simulate = (...list: string[]) => run('wallet', 'change', id, '--simulate', ...list);
    expect((await simulate('fail, pay-after=5')).stdout).toMatch(/simulates {3}fails, pays itself after 5 s\n/);
    const slow = { fail: false, delay_ms: 20, hold: true, pay_after_seconds: null };
    expect((await simulate('delay=20,hold', '--json')).json().simulation).toEqual(slow);
    for (const list of ['explode', 'delay', 'delay=60001', 'pay-after=-1', '']) {
      const refused = await simulate(list);
      expect([list, refused.code, refused.stdout]).toEqual([list, 2, '']);
    }
    expect((await simulate('nothing')).stdout).not.toContain('simulates');
    const real = await run('wallet', 'change', walletId, '--simulate', 'fail');
    expect([real.code, real.stderr]).toEqual([1, expect.stringContaining('this one is real')]);
  });

  test('one that fails is noted as failing until a probe succeeds', async () => {
    server.behaviour = { instead: { payRequest: instead.error('Away') } };
    const failed = await run('wallet', 'probe', walletId, '--json');
    expect(failed.code).toBe(1);
    expect(failed.json().message).toContain('The failure is noted');
    expect(failed.stderr).not.toContain('    at ');
    const enabled = await run('wallet', 'enable', walletId, '--json');
    expect(enabled.json()).toMatchObject({ enabled: true, consecutive_failures: 1, last_error: expect.any(String) });
    server.behaviour = {};
    const probed = await run('wallet', 'probe', walletId, '--json');
    expect(probed.json()).toMatchObject({ id: walletId, consecutive_failures: 0, last_error: null, operational: true });
  });
});
