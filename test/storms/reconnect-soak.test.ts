import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { createOutbound } from '../../src/kernel/outbound.ts';
import { acceptedNetworks } from '../../src/lightning/acceptance.ts';
import { PaperNode } from '../support/paper-node.ts';
import { walletKinds } from '../support/wallet-kinds.ts';
import { reportFigures } from './figures.ts';
import { soak } from './seeds.ts';

if (!soak) console.log('SKIPPED: thousands of reconnects take minutes; SOAK=1 runs them');

/** An hour of a wallet that breaks at once, every time, has about a hundred; in this time there are thousands. */
const secondsPerKind = Number(process.env.SOAK_SECONDS ?? 40);
/** What a first time leaves behind for good is not counted. */
const warmUp = 300;
const mostGrowthMegabytes = 4;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heapMegabytes = () => {
  for (let turn = 0; turn < 3; turn++) collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
};

describe.skipIf(!soak)('memory over reconnects', () => {
  const outbound = createOutbound({ allowPrivateNetworks: true });
  afterAll(() => outbound.close());

  test.each(Object.entries(walletKinds).filter(([name]) => name !== 'BTCPay Server'))(
    '%s: the heap stays flat',
    { timeout: 300_000 },
    async (name, kind) => {
      const node = new PaperNode(systemClock);
      const server = await kind.start(node);
      const support = { outbound, networks: acceptedNetworks(false), clock: systemClock };
      const connector = kind.open(server as never, support, 'receiving');
      const leaving = new AbortController();
      // With something to tell again, so that those that resume do not wait for news first.
      for (const ref of ['1', '2', '3']) {
        const request = { ref, amountMsat: 1000n, description: '', expirySeconds: 3600 };
        node.pay((await connector.createInvoice(request, leaving.signal)).paymentHash);
      }
      async function reconnect(): Promise<void> {
        const hints = connector.follow!('1', leaving.signal)[Symbol.asyncIterator]();
        for (let isOpen = false; !isOpen; ) isOpen = (await hints.next()).value.kind === 'open';
        // More than once: a long poll may be between two questions.
        const cutting = setInterval(() => server.cut(), 5);
        while (
          await hints.next().then(
            ({ done }) => !done,
            () => false,
          )
        );
        clearInterval(cutting);
        // The server's memory of what it was asked is not what is measured.
        (server.calls as unknown[]).length = 0;
      }
      try {
        for (let count = 0; count < warmUp; count++) await reconnect();
        const before = heapMegabytes();
        const begun = performance.now();
        let count = 0;
        for (; performance.now() - begun < secondsPerKind * 1000; count++) await reconnect();
        const growth = heapMegabytes() - before;
        reportFigures(
          `reconnects of ${name}`,
          `${count} in ${secondsPerKind} s, ${growth.toFixed(1)} MB more on the heap`,
        );
        expect(growth).toBeLessThan(mostGrowthMegabytes);
      } finally {
        leaving.abort();
        await connector.close?.();
        await server.stop();
      }
    },
  );
});
