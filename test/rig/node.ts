/** One Lightning node: LDK behind the few verbs that tests need. */
import type { AddressInfo, Server } from 'node:net';
import * as ldk from 'lightningdevkit';
import type { ChainListener, FakeChain } from './chain.ts';
import { fundingTransaction } from './funding.ts';
import { type Held, IncomingPayments, type Received } from './incoming.ts';
import { type MadeInvoice, makeInvoice, type NewInvoice } from './invoices.ts';
import { describeLdkError, loadLdk, toHex } from './ldk.ts';
import { buildLdkParts, type LdkParts } from './ldk-parts.ts';
import { OutgoingPayments, type Sent } from './outgoing.ts';
import { PaymentFailure } from './payment-failure.ts';
import { realTimers, waitUntil } from './timing.ts';

const host = '127.0.0.1';
/** LDK says when it has work; this only catches what it forgot to say. Polling at 5 ms cost a tenth of a core. */
const pumpEveryMillis = 50;

export class LightningNode {
  /** Compressed public key, 66 hex characters. */
  readonly id: string;

  readonly #chain: FakeChain;
  readonly #parts: LdkParts;
  readonly #incoming: IncomingPayments;
  readonly #outgoing: OutgoingPayments;
  readonly #chainListener: ChainListener;
  readonly #events: ldk.Event[] = [];
  readonly #eventHandler: ldk.EventHandler;
  readonly #pumpTimer: ReturnType<typeof setInterval>;
  /** Held here only to keep it from being collected as garbage. */
  #wakeUp: ldk.Future | undefined;
  #stopped = false;

  /** Starts a node on `chain` that listens on a random loopback port. */
  static async start(chain: FakeChain): Promise<LightningNode> {
    await loadLdk();
    const node = new LightningNode(chain);
    await node.#parts.network.bind_listener(host, 0);
    return node;
  }

  private constructor(chain: FakeChain) {
    this.#chain = chain;
    this.#parts = buildLdkParts(chain);
    this.#incoming = new IncomingPayments(this.#parts.channelManager, () => chain.now());
    this.#outgoing = new OutgoingPayments(this.#parts.channelManager);
    this.id = toHex(this.#parts.channelManager.get_our_node_id());
    // Only collect here: LDK is in the middle of its own work, and calls back into it from inside would lock up.
    this.#eventHandler = ldk.EventHandler.new_impl({
      handle_event: (event) => {
        this.#events.push(event);
        return ldk.Result_NoneReplayEventZ.constructor_ok();
      },
    });
    this.#chainListener = chainListener(this.#parts);
    chain.listen(this.#chainListener);
    this.#pumpTimer = realTimers.setInterval(() => this.#pump(), pumpEveryMillis);
    this.#pumpWhenNeeded();
  }

  /** The present by the chain's clock. */
  now(): Date {
    return this.#chain.now();
  }

  /** Makes an invoice, dated now by the chain's clock. */
  createInvoice(wanted: NewInvoice): MadeInvoice {
    this.#assertRunning();
    this.#chain.tellTime();
    return makeInvoice(this.#parts.channelManager, wanted);
  }

  /**
   * Pays an invoice; resolves when the receiver has taken the money, so it waits as long as the receiver holds it.
   * Rejects with a PaymentFailure. `amountMsat` pays another amount than the invoice asks for (or the amount, where
   * the invoice names none).
   */
  pay(bolt11: string, { amountMsat }: { amountMsat?: bigint } = {}): Promise<Sent> {
    const payment = new Promise<Sent>((resolve, reject) => {
      this.#assertRunning();
      this.#chain.tellTime();
      this.#outgoing.send(bolt11, amountMsat, { resolve, reject });
      this.#pump();
    });
    // A test may start a payment that is never taken and not wait for it; its end must not bring the test run down.
    payment.catch(() => {});
    return payment;
  }

  /** What arrived for this payment hash (64 hex characters); undefined until it is ours for good. */
  received(paymentHash: string): Received | undefined {
    return this.#incoming.get(paymentHash);
  }

  /** Calls back once per settled payment from now on. Returns what ends that. */
  onReceived(callback: (received: Received) => void): () => void {
    return this.#incoming.onReceived(callback);
  }

  /**
   * While true, arriving payments are locked in but not taken: the payer waits until `release` or `refuse`. Switching
   * it off leaves those already held where they are. Time does not hurt them, blocks do: mine more than two, and LDK
   * may find the deadline too near and send them back by itself.
   */
  get hold(): boolean {
    return this.#incoming.hold;
  }

  set hold(on: boolean) {
    this.#incoming.hold = on;
  }

  /** Payments locked by `hold` and not yet decided. */
  held(): Held[] {
    return this.#incoming.held();
  }

  /** Takes one held payment (payment hash, 64 hex characters), or all of them. */
  release(paymentHash?: string): void {
    this.#incoming.release(paymentHash);
    this.#pump();
  }

  /** Sends one held payment back, or all of them: the payer's `pay` rejects as `rejected`. */
  refuse(paymentHash?: string): void {
    this.#incoming.refuse(paymentHash);
    this.#pump();
  }

  /** Millisatoshi that this node could pay now. Follows a few milliseconds after a payment has resolved. */
  spendableMsat(): bigint {
    const channels = this.#parts.channelManager.list_usable_channels();
    return channels.reduce((sum, channel) => sum + channel.get_outbound_capacity_msat(), 0n);
  }

  hasUsableChannel(): boolean {
    return this.#parts.channelManager.list_usable_channels().length > 0;
  }

  isConnectedTo(other: LightningNode): boolean {
    return this.#parts.peerManager.list_peers().some((peer) => toHex(peer.get_counterparty_node_id()) === other.id);
  }

  async connect(other: LightningNode): Promise<void> {
    this.#assertRunning();
    await this.#parts.network.connect_peer(host, other.#port(), other.#publicKey()).catch(() => {
      // The package rejects with nothing.
      throw new Error(`no connection to ${host}:${other.#port()}`);
    });
    await waitUntil(() => this.isConnectedTo(other) && other.isConnectedTo(this), 'the nodes have shaken hands');
  }

  /** Cuts the connection; channels and held payments survive. */
  async disconnect(other: LightningNode): Promise<void> {
    this.#parts.peerManager.disconnect_by_node_id(other.#publicKey());
    await waitUntil(() => !this.isConnectedTo(other) && !other.isConnectedTo(this), 'the nodes are cut off');
  }

  /** Asks a connected node for a channel. It is usable once its funding transaction has been mined. */
  openChannel(other: LightningNode, valueSats: bigint): void {
    const opened = this.#parts.channelManager.create_channel(other.#publicKey(), valueSats, 0n, 0n, null, null);
    if (opened instanceof ldk.Result_ChannelIdAPIErrorZ_Err) {
      throw new Error(`no channel: ${describeLdkError(opened.err)}`);
    }
    this.#pump();
  }

  /** Closes the sockets and timers. Payments still on their way reject as `stopped`. Safe to call twice. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    realTimers.clearInterval(this.#pumpTimer);
    this.#chain.unlisten(this.#chainListener);
    const closed = this.#servers().map((server) => new Promise<void>((resolve) => server.once('close', resolve)));
    this.#parts.network.stop();
    await Promise.all(closed);
    this.#outgoing.stop();
  }

  /** LDK's futures fire once, so each one that fires is replaced before the work starts. */
  #pumpWhenNeeded(): void {
    this.#wakeUp = this.#parts.channelManager.get_event_or_persistence_needed_future();
    const call = () => {
      // Not at once: the call comes from the middle of LDK's own work.
      realTimers.setImmediate(() => {
        if (this.#stopped) return;
        this.#pumpWhenNeeded();
        this.#pump();
      });
    };
    this.#wakeUp.register_callback_fn(ldk.FutureCallback.new_impl({ call }));
  }

  /** Does what LDK wants done until it wants nothing more, then lets the messages out. */
  #pump(): void {
    if (this.#stopped) return;
    do {
      for (const event of this.#events.splice(0)) this.#handle(event);
      for (const source of this.#parts.eventSources) source.process_pending_events(this.#eventHandler);
    } while (this.#events.length > 0);
    this.#parts.peerManager.process_events();
  }

  #handle(event: ldk.Event): void {
    const { channelManager } = this.#parts;
    if (event instanceof ldk.Event_PendingHTLCsForwardable) {
      // The event asks for a random pause, which hides timing from spies. There are none in here.
      channelManager.process_pending_htlc_forwards();
    } else if (event instanceof ldk.Event_PaymentClaimable) {
      this.#incoming.arrived(event);
    } else if (event instanceof ldk.Event_PaymentClaimed) {
      this.#incoming.settled(event);
    } else if (event instanceof ldk.Event_PaymentSent) {
      this.#outgoing.sent(event);
    } else if (event instanceof ldk.Event_PaymentFailed) {
      this.#outgoing.failed(event);
    } else if (event instanceof ldk.Event_FundingGenerationReady) {
      channelManager.funding_transaction_generated(
        event.temporary_channel_id,
        event.counterparty_node_id,
        fundingTransaction(event.channel_value_satoshis, event.output_script),
      );
    }
  }

  #publicKey(): Uint8Array {
    return this.#parts.channelManager.get_our_node_id();
  }

  #port(): number {
    const address = this.#servers()[0]?.address() as AddressInfo | null | undefined;
    if (!address) throw new Error('the node does not listen');
    return address.port;
  }

  /** Private in the package's types; the only way to learn which port the system chose, and when it is free again. */
  #servers(): Server[] {
    return (this.#parts.network as unknown as { servers: Server[] }).servers;
  }

  #assertRunning(): void {
    if (this.#stopped) throw new PaymentFailure('stopped', 'the node is stopped');
  }
}

function chainListener({ channelManager, chainMonitor }: LdkParts): ChainListener {
  // The monitor first: what it finds is news for the manager.
  const confirms = [chainMonitor.as_Confirm(), channelManager.as_Confirm()];
  return {
    transactionsMined: (header, transactions, height) => {
      for (const confirm of confirms) {
        const pairs = transactions.map(({ index, raw }) => ldk.TwoTuple_usizeTransactionZ.constructor_new(index, raw));
        confirm.transactions_confirmed(header, pairs, height);
      }
    },
    tipChanged: (header, height) => {
      for (const confirm of confirms) confirm.best_block_updated(header, height);
    },
  };
}
