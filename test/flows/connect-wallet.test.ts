import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { connectWallet, type WalletRequest } from '../../src/flows/connect-wallet.ts';
import type { Scope } from '../../src/kernel/context.ts';
import { listMerchantWallets, markWalletDeleted, setWalletEnabled } from '../../src/store/wallets.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { instead, LnurlServer } from '../support/lnurl-server.ts';

let world: TestApp;
let server: LnurlServer;
let scope: Scope;
beforeAll(async () => {
  world = await openTestApp({ watch: false });
  server = await LnurlServer.start(world.clock);
});
afterAll(async () => {
  await server.stop();
  await world.close();
});
beforeEach(async () => {
  server.behaviour = {};
  scope = { merchantId: (await world.newMerchant()).id, livemode: false };
});

function connect(request: Partial<WalletRequest> = {}, inScope = scope) {
  const signal = new AbortController().signal;
  return connectWallet(world.parts, inScope, { connection: server.address, ...request }, signal);
}

const walletNames = async () => (await listMerchantWallets(world.parts.db, scope)).map(({ name }) => name);

describe('connecting a wallet', () => {
  test('saves what the probe found, at the end of the line', async () => {
    const { wallet, probe } = await connect({
      connection: ` lightning:Alice@${server.host}`,
      maxPaymentSats: 900,
    });
    expect(probe.settlementVisibility).toBe('proof');
    expect(wallet).toMatchObject({
      name: server.address,
      lightning_address: server.address,
      position: 2,
      is_default: false,
      enabled: true,
      min_sats: 1,
      max_sats: 100_000_000,
      max_payment_sats: 900,
      settlement_visibility: 'proof',
      last_checked_at: world.clock.now(),
    });
  });

  test('refuses one whose settlement cannot be seen, unless it is wanted anyway', async () => {
    server.behaviour = { callback: ({ pr, routes }) => ({ pr, routes }) };
    await expect(connect()).rejects.toMatchObject({
      code: 'validation_error',
      details: [expect.stringContaining('connection cannot be used')],
    });
    expect(await walletNames()).toEqual(['Simulated test wallet']);
    const { wallet } = await connect({ saveUnseen: true, name: 'Later' });
    expect(wallet).toMatchObject({ name: 'Later', settlement_visibility: 'none' });
  });

  test('takes each network in its own mode only', async () => {
    const live = { ...scope, livemode: true };
    await expect(connect({}, live)).rejects.toMatchObject({ code: 'validation_error' });
    server.behaviour = { network: 'mainnet' };
    await expect(connect()).rejects.toMatchObject({ code: 'validation_error' });
    expect((await connect({}, live)).wallet).toMatchObject({ livemode: true, position: 1, is_default: true });
  });

  test('refuses an address that is connected already, also when disabled', async () => {
    const { wallet } = await connect();
    await expect(connect()).rejects.toMatchObject({ code: 'conflict' });
    await setWalletEnabled(world.parts.db, scope, wallet.id, false, world.clock.now());
    await expect(connect()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('disabled') });
  });

  test('knows a wallet that is away from one that is wrong', async () => {
    server.behaviour = { instead: { payRequest: instead.drop() } };
    await expect(connect()).rejects.toMatchObject({ code: 'wallet_unavailable' });
    server.behaviour = { instead: { payRequest: instead.error('No such user') } };
    await expect(connect()).rejects.toMatchObject({ code: 'validation_error' });
    expect(await walletNames()).toEqual(['Simulated test wallet']);
  });

  test.each([
    ['alice', 'looks like an e-mail address'],
    ['alice@10.0.0.1', 'must be a name'],
  ])('asks nobody for the address %s', async (connection, sentence) => {
    const before = server.requests.length;
    const details = [expect.stringContaining(sentence)];
    await expect(connect({ connection })).rejects.toMatchObject({ code: 'validation_error', details });
    expect(server.requests).toHaveLength(before);
  });

  test('has the simulated wallet in test mode once, also after it was removed', async () => {
    const before = server.requests.length;
    const simulated = { connection: 'Test@simulated.invalid' };
    await expect(connect(simulated)).rejects.toMatchObject({ code: 'conflict' });
    const [first] = await listMerchantWallets(world.parts.db, scope);
    await markWalletDeleted(world.parts.db, scope, first!.id, world.clock.now());
    expect((await connect(simulated)).wallet).toMatchObject({
      connection: 'simulated',
      settlement_visibility: 'proof',
    });
    await expect(connect(simulated)).rejects.toMatchObject({ code: 'conflict' });
    await expect(connect(simulated, { ...scope, livemode: true })).rejects.toMatchObject({
      code: 'validation_error',
      details: [expect.stringContaining('test mode alone')],
    });
    expect(server.requests).toHaveLength(before);
  });

  test('refuses a ceiling below what the wallet takes at least', async () => {
    server.behaviour = { payRequest: (answer) => ({ ...answer, minSendable: 10_000 }) };
    await expect(connect({ maxPaymentSats: 9 })).rejects.toMatchObject({ code: 'validation_error' });
    expect((await connect({ maxPaymentSats: 10 })).wallet).toMatchObject({ min_sats: 10, max_payment_sats: 10 });
  });
});
