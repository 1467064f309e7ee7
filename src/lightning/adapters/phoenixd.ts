import type { JsonObject } from '../../kernel/json-object.ts';
import type { Outbound } from '../../kernel/outbound.ts';
import { type Connector, type InvoiceFact, WalletFault } from '../connector.ts';
import {
  type AdapterSupport,
  requireSameInvoice,
  requireWholeSats,
  settledFact,
  toCreatedInvoice,
  unpaidFact,
} from '../invoice-reading.ts';
import { readMessage, socketMessages } from '../socket-messages.ts';
import { callWallet, goodObject, isForbidden } from '../wallet-http.ts';

interface PhoenixdOptions extends AdapterSupport {
  /** Such as `http://127.0.0.1:9740`. */
  readonly url: string;
  /** `http-password-limited-access` of phoenix.conf. */
  readonly password: string;
  readonly outbound: Outbound;
}

/** What phoenixd takes as a description. */
const longestDescription = 128;

/** ACINQ's phoenixd over its HTTP API. The limited password creates and reads; paying is refused to it. */
export function phoenixdConnector(options: PhoenixdOptions): Connector {
  const { outbound, clock } = options;
  const authorization = `Basic ${Buffer.from(`:${options.password}`).toString('base64')}`;
  const url = (path: string) => `${options.url.replace(/\/+$/, '')}${path}`;
  const get = (path: string, signal: AbortSignal) =>
    callWallet(outbound, { url: url(path), headers: { authorization } }, signal);
  const post = (path: string, form: Record<string, string>, signal: AbortSignal, keepErrors = false) =>
    callWallet(
      outbound,
      {
        url: url(path),
        method: 'POST',
        headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(form).toString(),
      },
      signal,
      { keepErrors },
    );

  /** With nothing to pay, so that a password which may pay is told apart by the words of the refusal alone. */
  async function canSpend(signal: AbortSignal): Promise<boolean> {
    return !isForbidden((await post('/payinvoice', {}, signal, true)).status);
  }

  return {
    kind: 'phoenixd',

    async probe(signal) {
      const answer = await get('/payments/incoming?limit=1', signal);
      if (answer.status !== 200 || !answer.list) {
        throw new WalletFault('protocol', 'This server does not answer as phoenixd does.');
      }
      return {
        settlementVisibility: 'proof',
        minSats: 1,
        maxSats: null,
        canSpend: await canSpend(signal),
        notes: ['The first payments may cost a fee for liquidity, so that less arrives than was asked for.'],
      };
    },

    async createInvoice(request, signal) {
      const amountSat = requireWholeSats(request);
      const answer = await post(
        '/createinvoice',
        {
          amountSat: String(amountSat),
          description: [...request.description.toWellFormed()].slice(0, longestDescription).join(''),
          expirySeconds: String(request.expirySeconds),
          externalId: request.ref,
        },
        signal,
      );
      return toCreatedInvoice(goodObject(answer).serialized, request, options);
    },

    async lookupInvoice({ paymentHash, handle }, signal): Promise<InvoiceFact> {
      const answer = await get(`/payments/incoming/${paymentHash}`, signal);
      if (answer.status === 204 || answer.status === 404) return { state: 'unknown' };
      const payment = goodObject(answer);
      requireSameInvoice(payment.paymentHash, paymentHash);
      // The preimage is shown for unpaid invoices as well.
      if (payment.isPaid !== true) return unpaidFact(handle, clock);
      return settledFact(paymentHash, {
        receivedMsat: receivedMsat(payment),
        preimage: payment.preimage,
        settledAtSeconds: Number(payment.completedAt) / 1000,
      });
    },

    async *follow(_cursor, signal) {
      const socket = outbound.socket({ url: url('/websocket').replace(/^http/, 'ws'), headers: { authorization } });
      for await (const message of socketMessages(socket, signal)) {
        if (message === null) yield { kind: 'open', resumed: false };
        else {
          const { type, paymentHash } = readMessage(message);
          if (type === 'payment_received' && typeof paymentHash === 'string') yield { kind: 'paid', paymentHash };
        }
      }
    },

    lookupHost: () => new URL(options.url).host,
  };
}

function receivedMsat({ receivedSat }: JsonObject): bigint | undefined {
  return typeof receivedSat === 'number' && Number.isSafeInteger(receivedSat) ? BigInt(receivedSat) * 1000n : undefined;
}
