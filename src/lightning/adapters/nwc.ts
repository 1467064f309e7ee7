import type { JsonObject } from '../../kernel/json-object.ts';
import type { Outbound } from '../../kernel/outbound.ts';
import { type Connector, type InvoiceFact, WalletFault } from '../connector.ts';
import {
  type AdapterSupport,
  fittingDescription,
  readMsat,
  requireSameInvoice,
  requireWholeSats,
  settledFact,
  toCreatedInvoice,
  unpaidFact,
} from '../invoice-reading.ts';
import { NwcClient, type NwcConnection } from '../nwc/client.ts';
import { NwcError } from '../nwc/reply.ts';
import { provesHash } from '../preimage.ts';

interface NwcOptions extends AdapterSupport, NwcConnection {
  readonly outbound: Outbound;
}

const spending = /^(?:pay_|multi_pay_|sign_message$|create_connection$)/;

/** A wallet over Nostr Wallet Connect (NIP-47). What the connection may do was chosen when it was made at the wallet. */
export function nwcConnector(options: NwcOptions): Connector {
  const { clock } = options;
  const client = new NwcClient(options, options.outbound, clock);

  /** The wallet's word for this connection where it gives one; else what it can do at all. */
  async function methods(signal: AbortSignal): Promise<readonly unknown[]> {
    const info = await client.info(signal);
    if (!info.methods.includes('get_info')) return info.methods;
    try {
      const { methods: ours } = await client.request('get_info', {}, signal);
      return Array.isArray(ours) ? ours : info.methods;
    } catch (error) {
      if (error instanceof NwcError && (error.code === 'RESTRICTED' || error.code === 'NOT_IMPLEMENTED')) {
        return info.methods;
      }
      throw error;
    }
  }

  return {
    kind: 'nwc',

    async probe(signal) {
      const may = await methods(signal);
      const missing = ['make_invoice', 'lookup_invoice'].filter((method) => !may.includes(method));
      if (missing.length > 0) {
        throw new WalletFault('unauthorized', `The connection may not use ${missing.join(' and ')}.`);
      }
      await client.request('lookup_invoice', { payment_hash: '00'.repeat(32) }, signal).catch((error: unknown) => {
        if (!(error instanceof NwcError) || error.kind !== 'refused') throw error;
      });
      const { notifications } = await client.info(signal);
      const isTold = notifications.includes('payment_received');
      return {
        settlementVisibility: 'proof',
        minSats: 1,
        maxSats: null,
        canSpend: may.some((method) => spending.test(String(method))),
        notes: isTold ? [] : ['This wallet sends no word of payments, so that it is asked every few seconds.'],
      };
    },

    async createInvoice(request, signal) {
      requireWholeSats(request);
      const made = await client.request(
        'make_invoice',
        {
          amount: Number(request.amountMsat),
          description: fittingDescription(request),
          expiry: request.expirySeconds,
        },
        signal,
      );
      return toCreatedInvoice(made.invoice, request, options);
    },

    async lookupInvoice({ paymentHash, handle }, signal): Promise<InvoiceFact> {
      let invoice: JsonObject;
      try {
        invoice = await client.request('lookup_invoice', { payment_hash: paymentHash }, signal);
      } catch (error) {
        if (error instanceof NwcError && error.code === 'NOT_FOUND') return { state: 'unknown' };
        throw error;
      }
      if (invoice.payment_hash !== undefined) requireSameInvoice(invoice.payment_hash, paymentHash);
      // Where one wallet pays another of the same server, or itself, both sides of it have our hash.
      if (invoice.type === 'outgoing' && provesHash(invoice.preimage, paymentHash) === undefined) {
        return { state: 'unknown' };
      }
      const state = stateOf(invoice);
      if (state === 'accepted') return { state: 'held' };
      if (state !== 'settled') return unpaidFact(handle, clock);
      return settledFact(paymentHash, {
        receivedMsat: readMsat(invoice.amount),
        preimage: invoice.preimage,
        settledAtSeconds: invoice.settled_at,
      });
    },

    async *follow(_cursor, signal) {
      for await (const notification of client.notifications(signal)) {
        if (notification === undefined) yield { kind: 'open', resumed: false };
        else if (notification.notification_type === 'payment_received') {
          const { payment_hash: hash } = (notification.notification ?? {}) as JsonObject;
          yield { kind: 'paid', paymentHash: typeof hash === 'string' ? hash : undefined };
        }
      }
    },

    async close() {
      client.close();
    },
  };
}

/** Wallets that name a state mean it; older ones leave it out, and some fill `settled_at` with zeros before. */
function stateOf({ state, settled_at: settledAt }: JsonObject): string | undefined {
  if (typeof state === 'string') return state.toLowerCase();
  return typeof settledAt === 'number' && settledAt > 0 ? 'settled' : undefined;
}
