import type { Outbound } from '../../kernel/outbound.ts';
import { type Connector, type InvoiceFact, WalletFault } from '../connector.ts';
import {
  type AdapterSupport,
  factByState,
  fittingDescription,
  readMsat,
  requireSameInvoice,
  requireWholeSats,
  toCreatedInvoice,
} from '../invoice-reading.ts';
import { callWallet, goodObject, refusedBecause } from '../wallet-http.ts';

interface BtcpayOptions extends AdapterSupport {
  /** Such as `https://btcpay.example.com`. */
  readonly url: string;
  readonly storeId: string;
  /** With `btcpay.store.cancreatelightninginvoice` and `btcpay.store.canviewlightninginvoice`, and no more. */
  readonly apiKey: string;
  readonly outbound: Outbound;
}

const needed = ['btcpay.store.cancreatelightninginvoice', 'btcpay.store.canviewlightninginvoice'];
/** Permissions that move money, or hand out others that do. */
const spending = new Set([
  'unrestricted',
  'btcpay.store.canuselightningnode',
  'btcpay.server.canuseinternallightningnode',
  'btcpay.server.canmodifyserversettings',
  'btcpay.store.canmodifystoresettings',
  'btcpay.store.cancreatenonapprovedpullpayments',
  'btcpay.store.cancreatepullpayments',
  'btcpay.store.canmanagepayouts',
  'btcpay.store.canmanagepullpayments',
]);

const meanings = { Paid: 'settled', Unpaid: 'unpaid', Expired: 'expired' } as const;

/** The Lightning node of a BTCPay Server store, over the Greenfield API. */
export function btcpayConnector(options: BtcpayOptions): Connector {
  const { outbound, clock } = options;
  const base = options.url.replace(/\/+$/, '');
  const headers = { authorization: `token ${options.apiKey}` };
  const invoices = `${base}/api/v1/stores/${encodeURIComponent(options.storeId)}/lightning/BTC/invoices`;

  return {
    kind: 'btcpay',

    async probe(signal) {
      const answer = await callWallet(outbound, { url: `${base}/api/v1/api-keys/current`, headers }, signal);
      const { permissions } = goodObject(answer);
      if (!Array.isArray(permissions)) {
        throw new WalletFault('protocol', 'This server does not answer as BTCPay Server does.');
      }
      // A permission may be narrowed to one store, behind a colon.
      const held = permissions.map((permission) => String(permission).split(':') as [string, string?]);
      const mine = held.filter(([, store]) => store === undefined || store === options.storeId).map(([name]) => name);
      const canSpend = held.some(([name]) => spending.has(name));
      const missing = needed.filter((name) => !mine.includes(name) && !canSpend);
      if (missing.length > 0) {
        throw new WalletFault('unauthorized', `The key lacks ${missing.join(' and ')} for this store.`);
      }
      // An id that is none: 404 says that the store has a node to ask, and that this key may.
      const asked = await callWallet(outbound, { url: `${invoices}/satline-probe`, headers }, signal);
      if (asked.status !== 404 && asked.status !== 200) throw refusedBecause(asked.json?.message);
      return { settlementVisibility: 'proof', minSats: 1, maxSats: null, canSpend, notes: [] };
    },

    async createInvoice(request, signal) {
      requireWholeSats(request);
      const answer = await callWallet(
        outbound,
        {
          url: invoices,
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({
            amount: String(request.amountMsat),
            description: fittingDescription(request),
            expiry: request.expirySeconds,
          }),
        },
        signal,
      );
      if (answer.status === 422 || answer.status === 400) throw refusedBecause(answer.json?.message);
      const made = goodObject(answer);
      if (typeof made.id !== 'string') throw new WalletFault('protocol', 'The wallet gave the invoice no id.');
      return toCreatedInvoice(made.BOLT11 ?? made.bolt11, request, options, { id: made.id });
    },

    async lookupInvoice(request, signal): Promise<InvoiceFact> {
      const url = `${invoices}/${encodeURIComponent(String(request.handle.id))}`;
      const answer = await callWallet(outbound, { url, headers }, signal);
      if (answer.status === 404) return { state: 'unknown' };
      const { status, paymentHash, amountReceived, preimage, paidAt } = goodObject(answer);
      // Older servers leave the hash out.
      if (typeof paymentHash === 'string') requireSameInvoice(paymentHash, request.paymentHash);
      const receivedMsat = readMsat(amountReceived);
      return factByState(status, meanings, request, clock, { receivedMsat, preimage, settledAtSeconds: paidAt });
    },

    lookupHost: () => new URL(base).host,
  };
}
