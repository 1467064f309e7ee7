/** Two connected nodes and a channel with all its money on the payer's side: the smallest place where sats move. */
import { FakeChain, type RigClock } from './chain.ts';
import { LightningNode } from './node.ts';
import { waitUntil } from './timing.ts';

/** Just below 2^24 sat, the largest channel that needs no extra agreement. */
const channelSats = 16_000_000n;

export interface Rig {
  readonly merchant: LightningNode;
  readonly payer: LightningNode;
  readonly chain: FakeChain;
  /** Cuts the two nodes apart: payments find no route, held ones stay locked. */
  disconnect(): Promise<void>;
  /** Resolves when the channel carries payments again. */
  reconnect(): Promise<void>;
  /** Leaves no socket and no timer behind. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the rig in under a second. With `clock` (the application's ManualClock fits) invoices are dated by it, so
 * that a test can let them expire without waiting.
 */
export async function startRig({ clock }: { clock?: RigClock } = {}): Promise<Rig> {
  const chain = new FakeChain(clock);
  const merchant = await LightningNode.start(chain);
  const payer = await LightningNode.start(chain);
  const stop = async () => {
    await Promise.all([payer.stop(), merchant.stop()]);
  };
  const carries = () => payer.hasUsableChannel() && merchant.hasUsableChannel();
  const reconnect = async () => {
    if (!payer.isConnectedTo(merchant)) await payer.connect(merchant);
    await waitUntil(carries, 'the channel is usable');
  };
  try {
    await payer.connect(merchant);
    payer.openChannel(merchant, channelSats);
    await waitUntil(() => chain.mempoolSize > 0, 'the channel is funded');
    chain.mine(6);
    await waitUntil(carries, 'the channel is usable');
  } catch (failure) {
    await stop();
    throw failure;
  }
  return { merchant, payer, chain, disconnect: () => payer.disconnect(merchant), reconnect, stop };
}
