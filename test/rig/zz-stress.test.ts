import { test } from 'vitest';
import { startRig } from './network.ts';
import { sleep } from './timing.ts';
test('y', async () => {
  const rig = await startRig();
  const xs: number[] = [];
  for (let i = 0; i < 80; i++) { const inv = rig.merchant.createInvoice({ amountMsat: 1000n }).bolt11; const t = performance.now(); await rig.payer.pay(inv); xs.push(Math.round(performance.now() - t)); await sleep(20);}
  await rig.stop();
  const warm = xs.slice(10).sort((a, b) => a - b);
  console.log('cpu', 'p50', warm[35], 'p90', warm[63], 'max', warm[69], 'first', xs.slice(0, 3).join());
}, 60000);
