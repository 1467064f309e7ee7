/**
 * Wires one LDK node together. LDK is a kit: every port (fees, broadcast, storage, log, keys) is filled by the caller.
 * Storage is left out on purpose: a rig lives as long as its test and is never restarted from disk.
 */
import { randomBytes } from 'node:crypto';
import * as ldk from 'lightningdevkit';
import { NodeLDKNet } from 'lightningdevkit-node-net';
import type { FakeChain } from './chain.ts';

/** The floor of the network; constant, so that no fee update ever comes between the messages of a payment. */
const feeratePerKiloWeight = 253;

export interface LdkParts {
  readonly channelManager: ldk.ChannelManager;
  readonly chainMonitor: ldk.ChainMonitor;
  /** Where LDK's events wait, most urgent first. */
  readonly eventSources: readonly ldk.EventsProvider[];
  readonly peerManager: ldk.PeerManager;
  readonly network: NodeLDKNet;
}

export function buildLdkParts(chain: FakeChain): LdkParts {
  const done = ldk.ChannelMonitorUpdateStatus.LDKChannelMonitorUpdateStatus_Completed;
  const fees = ldk.FeeEstimator.new_impl({ get_est_sat_per_1000_weight: () => feeratePerKiloWeight });
  const logger = ldk.Logger.new_impl({ log: () => {} });
  const broadcaster = ldk.BroadcasterInterface.new_impl({
    broadcast_transactions: (transactions) => {
      for (const transaction of transactions) chain.broadcast(transaction);
    },
  });
  const persister = ldk.Persist.new_impl({
    persist_new_channel: () => done,
    update_persisted_channel: () => done,
    archive_persisted_channel: () => {},
  });
  const chainMonitor = ldk.ChainMonitor.constructor_new(
    ldk.Option_FilterZ.constructor_none(),
    broadcaster,
    logger,
    fees,
    persister,
  );

  const keys = ldk.KeysManager.constructor_new(random32(), BigInt(chain.tipSeconds), 0);
  const entropy = keys.as_EntropySource();
  const graph = ldk.NetworkGraph.constructor_new(ldk.Network.LDKNetwork_Regtest, logger);
  const scorer = ldk.ProbabilisticScorer.constructor_new(
    ldk.ProbabilisticScoringDecayParameters.constructor_default(),
    graph,
    logger,
  );
  const router = ldk.DefaultRouter.constructor_new(
    graph,
    logger,
    entropy,
    ldk.MultiThreadedLockableScore.constructor_new(scorer.as_Score()).as_LockableScore(),
    ldk.ProbabilisticScoringFeeParameters.constructor_default(),
  );
  const channelManager = ldk.ChannelManager.constructor_new(
    fees,
    chainMonitor.as_Watch(),
    broadcaster,
    router.as_Router(),
    ldk.DefaultMessageRouter.constructor_new(graph, entropy).as_MessageRouter(),
    logger,
    entropy,
    keys.as_NodeSigner(),
    keys.as_SignerProvider(),
    channelSettings(),
    ldk.ChainParameters.constructor_new(
      ldk.Network.LDKNetwork_Regtest,
      ldk.BestBlock.constructor_new(chain.tipHash, chain.height),
    ),
    chain.tipSeconds,
  );

  const ignore = ldk.IgnoringMessageHandler.constructor_new();
  const peerManager = ldk.PeerManager.constructor_new(
    channelManager.as_ChannelMessageHandler(),
    ignore.as_RoutingMessageHandler(),
    ignore.as_OnionMessageHandler(),
    ignore.as_CustomMessageHandler(),
    chain.tipSeconds,
    random32(),
    logger,
    keys.as_NodeSigner(),
  );
  return {
    channelManager,
    chainMonitor,
    eventSources: [channelManager.as_EventsProvider(), chainMonitor.as_EventsProvider()],
    peerManager,
    network: new NodeLDKNet(peerManager),
  };
}

/** LDK's getters hand out copies: change the part, then put it back. */
function channelSettings(): ldk.UserConfig {
  const settings = ldk.UserConfig.constructor_default();

  const handshake = settings.get_channel_handshake_config();
  handshake.set_minimum_depth(1);
  // One payment may take the whole channel; the default is a tenth.
  handshake.set_max_inbound_htlc_value_in_flight_percent_of_channel(100);
  // Payments in flight at the same time. Each adds 64 bytes to one signature message, which must stay below 16 KiB:
  // lightningdevkit-node-net 0.1.0 never writes again after a write that filled the socket's buffer.
  handshake.set_our_max_accepted_htlcs(200);
  settings.set_channel_handshake_config(handshake);

  const channel = settings.get_channel_config();
  // Anything too small for its own output counts as dust, and the default allowance (a multiple of the feerate) is
  // used up at once at this low feerate: payments below about 2310 sat would find no route. A million sat is plenty.
  channel.set_max_dust_htlc_exposure(ldk.MaxDustHTLCExposure.constructor_fixed_limit_msat(1_000_000_000n));
  settings.set_channel_config(channel);
  return settings;
}

function random32(): Uint8Array {
  return new Uint8Array(randomBytes(32));
}
