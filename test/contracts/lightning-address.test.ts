import { ManualClock } from '../../src/kernel/clock.ts';
import { createOutbound } from '../../src/kernel/outbound.ts';
import { acceptedNetworks } from '../../src/lightning/acceptance.ts';
import { lightningAddressConnector } from '../../src/lightning/adapters/lightning-address.ts';
import { instead, LnurlServer } from '../support/lnurl-server.ts';
import { describeConnector } from './connector-contract.ts';

describeConnector('lightning address', async () => {
  const clock = new ManualClock();
  const server = await LnurlServer.start(clock);
  const outbound = createOutbound({ allowPrivateNetworks: true });
  const networks = acceptedNetworks(false);
  const silent = new Set<string>();
  server.behaviour.verify = (answer, invoice) =>
    silent.has(invoice.paymentHash) ? { ...answer, preimage: null } : answer;
  return {
    connector: lightningAddressConnector({ address: server.address, outbound, networks, allowHttp: true, clock }),
    clock,
    networks,
    pay(paymentHash, { preimage }) {
      server.settle(paymentHash);
      if (!preimage) silent.add(paymentHash);
    },
    setWallet(state) {
      const answer = { working: undefined, failing: instead.html(500), hanging: instead.hang() }[state];
      server.behaviour.instead = answer ? { payRequest: answer, callback: answer, verify: answer } : {};
    },
    async close() {
      await outbound.close();
      await server.stop();
    },
  };
});
