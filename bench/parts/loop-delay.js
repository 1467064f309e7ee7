// Loaded into the product with --import: tells on request how late its event loop ran since the last question.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolution = 5;
const delay = monitorEventLoopDelay({ resolution });
delay.enable();
process.on('message', (message) => {
  if (message !== 'loop-delay') return;
  process.send?.({ loopDelay: Math.max(0, delay.percentile(99) / 1e6 - resolution) });
  delay.reset();
});
process.channel?.unref();
