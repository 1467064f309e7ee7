import type { ConnectionKind } from '../model/connection.ts';

/** Everything needed to talk to a wallet; what is sealed in `wallets.credentials`. */
export type WalletConnection =
  | { readonly kind: 'lightning_address'; readonly address: string }
  | {
      readonly kind: 'nwc';
      readonly relays: readonly string[];
      readonly walletPubkey: string;
      readonly secret: string;
    }
  /** `macaroon` in hex; `certificate` in PEM, for a node with one of its own. */
  | { readonly kind: 'lnd'; readonly url: string; readonly macaroon: string; readonly certificate?: string }
  | { readonly kind: 'cln'; readonly url: string; readonly rune: string; readonly certificate?: string }
  | { readonly kind: 'phoenixd'; readonly url: string; readonly password: string }
  | { readonly kind: 'lnbits'; readonly url: string; readonly invoiceKey: string }
  | { readonly kind: 'btcpay'; readonly url: string; readonly storeId: string; readonly apiKey: string }
  | { readonly kind: 'blink'; readonly url: string; readonly apiKey: string };

export type ConnectedKind = WalletConnection['kind'] & ConnectionKind;

/** What the wallet is called where nobody gave it a name; holds no secret. */
export function nameOf(connection: WalletConnection): string {
  switch (connection.kind) {
    case 'lightning_address':
      return connection.address;
    case 'nwc':
      return `Nostr Wallet Connect ${connection.walletPubkey.slice(0, 8)}`;
    case 'blink':
      return 'Blink';
    default:
      return `${serverNames[connection.kind]} at ${new URL(connection.url).host}`;
  }
}

const serverNames = {
  lnd: 'LND',
  cln: 'Core Lightning',
  phoenixd: 'phoenixd',
  lnbits: 'LNbits',
  btcpay: 'BTCPay Server',
} as const;

/** Two connections with the same text lead to the same wallet. Holds secrets where only they tell wallets apart. */
export function identityOf(connection: WalletConnection): string {
  switch (connection.kind) {
    case 'lightning_address':
      return `lightning_address ${connection.address}`;
    case 'nwc':
      return `nwc ${connection.walletPubkey} ${connection.secret}`;
    case 'lnbits':
      return `lnbits ${connection.url} ${connection.invoiceKey}`;
    case 'btcpay':
      return `btcpay ${connection.url} ${connection.storeId}`;
    case 'blink':
      return `blink ${connection.apiKey}`;
    default:
      return `${connection.kind} ${connection.url}`;
  }
}

/** How a merchant makes a credential that can only receive; said when one is refused because it can spend. */
export const receiveOnlyAdvice: Readonly<Record<ConnectedKind, string>> = {
  lightning_address: 'A lightning address can only receive.',
  nwc: 'Make a connection with the permissions "make invoices" and "look up invoices" only.',
  lnd: 'Use invoice.macaroon, or make one with: lncli bakemacaroon invoices:read invoices:write',
  cln: `Make a rune with: lightning-cli createrune restrictions='[["method=invoice","method=listinvoices","method=waitanyinvoice"]]'`,
  phoenixd: 'Use http-password-limited-access from phoenix.conf.',
  lnbits: 'Use the invoice/read key of the wallet, not its admin key.',
  btcpay: 'Make an API key with only btcpay.store.cancreatelightninginvoice and btcpay.store.canviewlightninginvoice.',
  blink: 'Make an API key with the scopes Read and Receive only.',
};
