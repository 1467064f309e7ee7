import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { ManualClock } from '../../src/kernel/clock.ts';
import { createOutbound } from '../../src/kernel/outbound.ts';
import { acceptedNetworks } from '../../src/lightning/acceptance.ts';
import { lightningAddressConnector } from '../../src/lightning/adapters/lightning-address.ts';
import { PaperNode } from '../support/paper-node.ts';

const signal = new AbortController().signal;

test('an address of LNbits without LUD-21 is asked for the state of the payment by its hash', async () => {
  const clock = new ManualClock();
  const node = new PaperNode(clock);
  let origin = '';
  const metadata = JSON.stringify([['text/plain', 'Till']]);
  const http = createServer((request, response) => {
    const url = new URL(request.url!, origin);
    const hash = /^\/api\/v1\/payments\/([0-9a-f]{64})$/.exec(url.pathname)?.[1];
    const answer = () => {
      if (hash) {
        const received = node.received(hash);
        return { paid: received !== undefined, preimage: received?.preimage ?? null };
      }
      if (url.pathname === '/lnurlp/api/v1/lnurl/cb/abc') {
        const amountMsat = BigInt(url.searchParams.get('amount')!);
        return { pr: node.createInvoice({ amountMsat }).bolt11, routes: [] };
      }
      const callback = `${origin}/lnurlp/api/v1/lnurl/cb/abc`;
      return { tag: 'payRequest', callback, minSendable: 1000, maxSendable: 10_000_000, metadata };
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer()));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  origin = `http://localhost:${port}`;
  const outbound = createOutbound({ allowPrivateNetworks: true, lookup: async () => ['127.0.0.1'] });
  try {
    const connector = lightningAddressConnector({
      address: `till@localhost:${port}`,
      outbound,
      networks: acceptedNetworks(false),
      allowHttp: true,
      clock,
    });
    expect(await connector.probe(signal)).toMatchObject({ settlementVisibility: 'proof' });
    const request = { ref: 'r', amountMsat: 21_000n, description: '', expirySeconds: 900 };
    const made = await connector.createInvoice(request, signal);
    expect(connector.lookupHost!(made.handle)).toBe(`localhost:${port}`);
    const lookUp = () => connector.lookupInvoice({ ...made, ref: 'r' }, signal);
    expect(await lookUp()).toEqual({ state: 'pending' });
    node.pay(made.paymentHash);
    expect(await lookUp()).toMatchObject({ state: 'settled', preimage: node.received(made.paymentHash)!.preimage });
  } finally {
    await outbound.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
});
