import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { createOutbound, type Outbound } from '../kernel/outbound.ts';
import type { Sealer } from '../kernel/secrets.ts';
import { acceptedNetworks } from '../lightning/acceptance.ts';
import { blinkConnector } from '../lightning/adapters/blink.ts';
import { btcpayConnector } from '../lightning/adapters/btcpay.ts';
import { clnConnector } from '../lightning/adapters/cln.ts';
import { lightningAddressConnector } from '../lightning/adapters/lightning-address.ts';
import { lnbitsConnector } from '../lightning/adapters/lnbits.ts';
import { lndConnector } from '../lightning/adapters/lnd.ts';
import { nwcConnector } from '../lightning/adapters/nwc.ts';
import { phoenixdConnector } from '../lightning/adapters/phoenixd.ts';
import { type SimulatorBook, simulatedConnector } from '../lightning/adapters/simulated.ts';
import { type Connector, WalletFault } from '../lightning/connector.ts';
import type { AdapterSupport } from '../lightning/invoice-reading.ts';
import { parseLightningAddress, payRequestUrl } from '../lightning/lnurl-address.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import type { WalletRow } from '../model/wallet.ts';
import { findSimulatedPayment } from '../store/simulated-payments.ts';
import { ours } from './own-trouble.ts';
import type { WalletConnection } from './wallet-connection.ts';

export interface ConnectorSupport {
  db: Database;
  sealer: Sealer;
  clock: Clock;
  outbound: Outbound;
  /** Plain http for wallets on this machine; only where private networks are allowed. */
  allowHttp: boolean;
  /** `host:port` of wallets on private networks that whoever runs the installation trusts. */
  walletHosts: readonly string[];
}

/** Opens the adapter for a wallet. The only place where wallet credentials leave their seal. */
export function openConnector(support: ConnectorSupport, wallet: WalletRow): Connector {
  const { clock } = support;
  switch (wallet.connection) {
    case 'simulated':
      return simulatedConnector({
        secret: support.sealer.deriveKey(`simulated wallet ${wallet.id}`),
        settings: wallet.settings,
        book: simulatorBook(support.db),
        clock,
      });
    case 'lightning_address':
      return openByAddress(support, wallet);
    default:
      return openByCredentials(support, wallet);
  }
}

/** An address on one of our hosts may name others for its invoices. Those are reached as they always are. */
function openByAddress({ clock, outbound: shared, allowHttp, walletHosts }: ConnectorSupport, wallet: WalletRow) {
  const networks = acceptedNetworks(wallet.livemode);
  const options = { address: wallet.lightning_address!, networks, clock };
  const parsed = parseLightningAddress(options.address);
  const urls = [true, false].map((isPlain) => new URL(payRequestUrl(parsed, isPlain)));
  if (allowHttp || !urls.some((url) => isListed(walletHosts, url))) {
    return lightningAddressConnector({ ...options, outbound: shared, allowHttp });
  }
  const own = createOutbound({ allowPrivateNetworks: true });
  const outbound: Outbound = {
    ...shared,
    async request(request) {
      const url = new URL(request.url);
      if (isListed(walletHosts, url)) return own.request(request);
      requireEncryption(url);
      return shared.request(request);
    },
  };
  // Whether it may be plain is for each request to say.
  const connector = lightningAddressConnector({ ...options, outbound, allowHttp: isListed(walletHosts, urls[0]!) });
  return { ...connector, close: () => own.close() };
}

function openByCredentials(support: ConnectorSupport, wallet: WalletRow): Connector {
  const { sealer, clock, allowHttp, walletHosts } = support;
  if (!wallet.credentials) throw new WalletFault('unauthorized', 'The credentials of this wallet were erased.');
  const text = sealer.open(wallet.credentials, sealedPlace('wallets.credentials', wallet.id)).toString();
  const connection = JSON.parse(text) as WalletConnection;
  const urls = addressesOf(connection).map((address) => new URL(address));
  const isOurs = urls.every((url) => isListed(walletHosts, url));
  if (!isOurs && !allowHttp) urls.forEach(requireEncryption);
  const { outbound, close } = outboundFor(support.outbound, connection, isOurs);
  const connector = openAdapter(connection, { outbound, clock, networks: acceptedNetworks(wallet.livemode) });
  return { ...connector, close: async () => void (await Promise.all([connector.close?.(), close()])) };
}

type AdapterOptions = AdapterSupport & { outbound: Outbound };

function openAdapter(connection: WalletConnection, options: AdapterOptions): Connector {
  switch (connection.kind) {
    case 'nwc':
      return nwcConnector({ ...options, ...connection });
    case 'lnd':
      return lndConnector({ ...options, ...connection });
    case 'cln':
      return clnConnector({ ...options, ...connection });
    case 'phoenixd':
      return phoenixdConnector({ ...options, ...connection });
    case 'lnbits':
      return lnbitsConnector({ ...options, ...connection });
    case 'btcpay':
      return btcpayConnector({ ...options, ...connection });
    case 'blink':
      return blinkConnector({ ...options, ...connection });
    case 'lightning_address':
      throw new Error('A lightning address has no credentials');
  }
}

/**
 * A wallet with a certificate of its own gets connections of its own, which trust nothing else; so does one on a private
 * network, because those of the others must not lead there.
 */
function outboundFor(shared: Outbound, connection: WalletConnection, isOurs: boolean) {
  const pinnedCertificate = 'certificate' in connection ? connection.certificate : undefined;
  const allowPrivateNetworks = shared.allowPrivateNetworks || isOurs;
  if (pinnedCertificate === undefined && allowPrivateNetworks === shared.allowPrivateNetworks) {
    return { outbound: shared, close: async () => {} };
  }
  const outbound = createOutbound({ allowPrivateNetworks, pinnedCertificate });
  return { outbound, close: () => outbound.close() };
}

function addressesOf(connection: WalletConnection): readonly string[] {
  if (connection.kind === 'nwc') return connection.relays;
  return connection.kind === 'lightning_address' ? [] : [connection.url];
}

function isListed(walletHosts: readonly string[], url: URL): boolean {
  return walletHosts.includes(`${url.hostname}:${portOf(url)}`);
}

function portOf({ protocol, port }: URL): string {
  return port || (protocol === 'https:' || protocol === 'wss:' ? '443' : '80');
}

/** Credentials go over encrypted connections only; hidden services encrypt by themselves. */
function requireEncryption({ protocol, hostname }: URL): void {
  if (protocol === 'https:' || protocol === 'wss:' || hostname.endsWith('.onion')) return;
  throw new WalletFault('refused', "The address of the wallet's server must start with https:// or wss://.");
}

function simulatorBook(db: Database): SimulatorBook {
  return {
    async find(paymentHash) {
      const row = await ours(findSimulatedPayment(db, paymentHash));
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
