import { isJsonObject, type JsonObject } from '../../kernel/json-object.ts';
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
import { readMessage, socketMessages } from '../socket-messages.ts';
import { callWallet, forbiddenFault, goodObject, isForbidden, refusedBecause } from '../wallet-http.ts';

interface LnbitsOptions extends AdapterSupport {
  /** Such as `https://lnbits.example.com`. */
  readonly url: string;
  /** The wallet's invoice key, which LNbits also calls its read key. */
  readonly invoiceKey: string;
  readonly outbound: Outbound;
}

/** A wallet of an LNbits server over its API. The invoice key makes and reads invoices; the admin key could pay. */
export function lnbitsConnector(options: LnbitsOptions): Connector {
  const { outbound, clock } = options;
  const headers = { 'x-api-key': options.invoiceKey };
  const url = (path: string) => `${options.url.replace(/\/+$/, '')}/api/v1${path}`;
  const post = (body: JsonObject, signal: AbortSignal, keepErrors = false) =>
    callWallet(
      outbound,
      {
        url: url('/payments'),
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      },
      signal,
      { keepErrors },
    );

  /** With nothing to pay: an invoice key is turned away before the request is read, an admin key only because of it. */
  async function canSpend(signal: AbortSignal): Promise<boolean> {
    return !isForbidden((await post({ out: true, bolt11: '' }, signal, true)).status);
  }

  return {
    kind: 'lnbits',

    async probe(signal) {
      const answer = await callWallet(outbound, { url: url('/wallet'), headers }, signal);
      // LNbits answers 404 to a key it does not know.
      if (answer.status === 404) throw new WalletFault('unauthorized', 'LNbits does not know this key.');
      if (typeof goodObject(answer).balance !== 'number') {
        throw new WalletFault('protocol', 'This server does not answer as LNbits does.');
      }
      return { settlementVisibility: 'proof', minSats: 1, maxSats: null, canSpend: await canSpend(signal), notes: [] };
    },

    async createInvoice(request, signal) {
      const amount = requireWholeSats(request);
      const answer = await post(
        // `out` is true at LNbits unless said otherwise.
        { out: false, amount, unit: 'sat', memo: fittingDescription(request), expiry: request.expirySeconds },
        signal,
        true,
      );
      if (isForbidden(answer.status)) throw forbiddenFault();
      // Above a limit of the server's: `failed`. Where the node behind it is at fault, the word is `pending`.
      if (answer.status === 520 && answer.json?.status === 'failed') throw refusedBecause(answer.json.detail);
      const made = goodObject(answer);
      return toCreatedInvoice(made.bolt11 ?? made.payment_request, request, options);
    },

    async lookupInvoice({ paymentHash, handle }, signal): Promise<InvoiceFact> {
      const answer = await callWallet(outbound, { url: url(`/payments/${paymentHash}`), headers }, signal);
      if (answer.status === 404) return { state: 'unknown' };
      const { paid, preimage, details } = goodObject(answer);
      const { amount, payment_hash: said } = isJsonObject(details) ? details : {};
      // Older servers leave it out.
      if (said !== undefined) requireSameInvoice(said, paymentHash);
      if (paid === false) return unpaidFact(handle, clock);
      if (paid !== true) throw new WalletFault('protocol', 'The wallet does not say whether the invoice was paid.');
      return settledFact(paymentHash, { receivedMsat: readMsat(amount), preimage });
    },

    async *follow(_cursor, signal) {
      // LNbits names the wallet of this socket by its invoice key, which can only receive.
      const socket = outbound.socket({ url: url(`/ws/${options.invoiceKey}`).replace(/^http/, 'ws') });
      for await (const message of socketMessages(socket, signal)) {
        if (message === null) yield { kind: 'open', resumed: false };
        else {
          const { payment } = readMessage(message);
          const hash = isJsonObject(payment) ? payment.payment_hash : undefined;
          if (typeof hash === 'string') yield { kind: 'paid', paymentHash: hash };
        }
      }
    },

    lookupHost: () => new URL(options.url).host,
  };
}
