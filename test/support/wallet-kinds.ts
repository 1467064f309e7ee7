import type { Outbound } from '../../src/kernel/outbound.ts';
import { blinkConnector } from '../../src/lightning/adapters/blink.ts';
import { btcpayConnector } from '../../src/lightning/adapters/btcpay.ts';
import { clnConnector } from '../../src/lightning/adapters/cln.ts';
import { lnbitsConnector } from '../../src/lightning/adapters/lnbits.ts';
import { lndConnector } from '../../src/lightning/adapters/lnd.ts';
import { nwcConnector } from '../../src/lightning/adapters/nwc.ts';
import { phoenixdConnector } from '../../src/lightning/adapters/phoenixd.ts';
import type { Connector } from '../../src/lightning/connector.ts';
import type { AdapterSupport } from '../../src/lightning/invoice-reading.ts';
import { type BlinkServer, startBlinkServer } from '../rig/blink-server.ts';
import { type BtcpayServer, startBtcpayServer } from '../rig/btcpay-server.ts';
import { type ClnServer, startClnServer } from '../rig/cln-server.ts';
import { type LnbitsServer, startLnbitsServer } from '../rig/lnbits-server.ts';
import { type LndServer, startLndServer } from '../rig/lnd-server.ts';
import { type NwcServer, startNwcServer } from '../rig/nwc-server.ts';
import { type PhoenixdServer, startPhoenixdServer } from '../rig/phoenixd-server.ts';
import type { ReceivingNode } from '../rig/wallet-book.ts';
import type { WalletServer } from '../rig/wallet-server.ts';

type WalletSupport = AdapterSupport & { outbound: Outbound };

export type Credential = 'receiving' | 'spending' | 'wrong';

/** A wallet of each kind, and the connector to it with a credential that only receives, or one that could spend. */
export interface WalletKind {
  start(node: ReceivingNode): Promise<WalletServer>;
  open(server: never, support: WalletSupport, credential: Credential): Connector;
}

const choose = <Value>(credential: Credential, receiving: Value, spending: Value, wrong: Value) =>
  ({ receiving, spending, wrong })[credential];

export const walletKinds: Record<string, WalletKind> = {
  LND: {
    start: startLndServer,
    open: ({ url, invoiceMacaroon, adminMacaroon }: LndServer, support, credential) =>
      lndConnector({ ...support, url, macaroon: choose(credential, invoiceMacaroon, adminMacaroon, 'ff'.repeat(30)) }),
  },
  'Nostr Wallet Connect': {
    start: startNwcServer,
    open: (server: NwcServer, support, credential) =>
      nwcConnector({
        ...support,
        relays: server.relays.map(({ address }) => address),
        walletPubkey: server.walletPubkey,
        secret: choose(credential, server.secret, server.spendingSecret, '01'.repeat(32)),
      }),
  },
  phoenixd: {
    start: startPhoenixdServer,
    open: ({ url, limitedPassword, fullPassword }: PhoenixdServer, support, credential) =>
      phoenixdConnector({ ...support, url, password: choose(credential, limitedPassword, fullPassword, 'wrong') }),
  },
  LNbits: {
    start: startLnbitsServer,
    open: ({ url, invoiceKey, adminKey }: LnbitsServer, support, credential) =>
      lnbitsConnector({ ...support, url, invoiceKey: choose(credential, invoiceKey, adminKey, 'ff'.repeat(16)) }),
  },
  'BTCPay Server': {
    start: startBtcpayServer,
    open(server: BtcpayServer, support, credential) {
      if (credential === 'spending') server.permissions.push('btcpay.store.canuselightningnode');
      const { url, storeId, apiKey } = server;
      return btcpayConnector({ ...support, url, storeId, apiKey: choose(credential, apiKey, apiKey, 'wrong') });
    },
  },
  Blink: {
    start: startBlinkServer,
    open(server: BlinkServer, support, credential) {
      if (credential === 'spending') server.scopes.push('WRITE');
      const { url, apiKey } = server;
      return blinkConnector({ ...support, url: `${url}/graphql`, apiKey: choose(credential, apiKey, apiKey, 'wrong') });
    },
  },
  'Core Lightning': {
    start: startClnServer,
    open: ({ url, rune, masterRune }: ClnServer, support, credential) =>
      clnConnector({ ...support, url, rune: choose(credential, rune, masterRune, 'wrong') }),
  },
};

/** What a merchant pastes to connect the wallet behind a server of any kind, secret and all. */
export function pastedConnection(server: WalletServer): string {
  if ('walletPubkey' in server) return (server as NwcServer).uri();
  if ('invoiceMacaroon' in server) return `lnd+${server.url}?macaroon=${(server as LndServer).invoiceMacaroon}`;
  if ('rune' in server) return `cln+${server.url}?rune=${(server as ClnServer).rune}`;
  if ('limitedPassword' in server)
    return `phoenixd+${server.url}?password=${(server as PhoenixdServer).limitedPassword}`;
  if ('invoiceKey' in server) return `lnbits+${server.url}?key=${(server as LnbitsServer).invoiceKey}`;
  if ('storeId' in server) {
    const { url, storeId, apiKey } = server as BtcpayServer;
    return `btcpay+${url}/stores/${storeId}?key=${apiKey}`;
  }
  return `type=blink;server=${server.url}/graphql;api-key=${(server as BlinkServer).apiKey}`;
}
