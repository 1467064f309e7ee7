import { afterEach, beforeEach, expect } from 'vitest';
import { ManualClock } from '../../src/kernel/clock.ts';
import { createOutbound, type Outbound } from '../../src/kernel/outbound.ts';
import { acceptedNetworks } from '../../src/lightning/acceptance.ts';
import { lightningAddressConnector } from '../../src/lightning/adapters/lightning-address.ts';
import { type Connector, WalletFault } from '../../src/lightning/connector.ts';
import { LnurlServer } from './lnurl-server.ts';

/** A lightning address wallet and the connector to it, fresh for each test of the file that calls `useLnurlWallet`. */
interface LnurlWallet {
  server: LnurlServer;
  outbound: Outbound;
  clock: ManualClock;
  connector: Connector;
}

export const signal = new AbortController().signal;

export function useLnurlWallet(): LnurlWallet {
  const wallet = {} as LnurlWallet;
  beforeEach(async () => {
    wallet.clock = new ManualClock(new Date('2026-11-27T12:00:00Z'));
    wallet.server = await LnurlServer.start(wallet.clock);
    wallet.outbound = createOutbound({ allowPrivateNetworks: true });
    wallet.connector = lightningAddressConnector({
      address: wallet.server.address,
      outbound: wallet.outbound,
      networks: acceptedNetworks(false),
      allowHttp: true,
      clock: wallet.clock,
    });
  });
  afterEach(async () => {
    await wallet.outbound.close();
    await wallet.server.stop();
  });
  return wallet;
}

/** The fault that a call ends with; its message is one that a merchant may read. */
export async function faultOf(promise: Promise<unknown>): Promise<WalletFault> {
  const error = await promise.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(WalletFault);
  expect(error.message).not.toMatch(/[<>]|127\.0\.0\.1/);
  return error;
}
