import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Outbound } from '../kernel/outbound.ts';
import type { Sealer } from '../kernel/secrets.ts';
import { acceptedNetworks } from '../lightning/acceptance.ts';
import { lightningAddressConnector } from '../lightning/adapters/lightning-address.ts';
import { type SimulatorBook, type SimulatorSettings, simulatedConnector } from '../lightning/adapters/simulated.ts';
import { type Connector, WalletFault } from '../lightning/connector.ts';
import type { WalletRow } from '../model/wallet.ts';
import { findSimulatedPayment } from '../store/simulated-payments.ts';

export interface ConnectorSupport {
  db: Database;
  sealer: Sealer;
  clock: Clock;
  outbound: Outbound;
  /** Plain http for wallets on this machine; only where private networks are allowed. */
  allowHttp: boolean;
}

/** Opens the adapter for a wallet. The only place where wallet credentials leave their seal. */
export function openConnector(support: ConnectorSupport, wallet: WalletRow): Connector {
  const { clock, outbound, allowHttp } = support;
  switch (wallet.connection) {
    case 'simulated':
      return simulatedConnector({
        secret: support.sealer.deriveKey(`simulated wallet ${wallet.id}`),
        settings: wallet.settings as SimulatorSettings,
        book: simulatorBook(support.db),
        clock,
      });
    case 'lightning_address':
      return lightningAddressConnector({
        address: wallet.lightning_address!,
        outbound,
        networks: acceptedNetworks(wallet.livemode),
        allowHttp,
        clock,
      });
    default:
      throw new WalletFault('protocol', `Wallets of kind ${wallet.connection} cannot be opened.`);
  }
}

function simulatorBook(db: Database): SimulatorBook {
  return {
    async find(paymentHash) {
      const row = await findSimulatedPayment(db, paymentHash);
      if (!row) return undefined;
      return {
        settlesAt: row.settles_at,
        receivedMsat: row.received_msat,
        withPreimage: row.with_preimage,
        held: false,
      };
    },
  };
}
