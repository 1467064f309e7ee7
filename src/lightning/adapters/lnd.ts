import type { JsonObject } from '../../kernel/json-object.ts';
import type { Outbound } from '../../kernel/outbound.ts';
import { OutboundError } from '../../kernel/outbound-error.ts';
import { pause } from '../../kernel/pause.ts';
import { type Connector, type InvoiceFact, WalletFault, type WalletHint } from '../connector.ts';
import {
  type AdapterSupport,
  factByState,
  fittingDescription,
  readMsat,
  requireSameInvoice,
  requireWholeSats,
  toCreatedInvoice,
} from '../invoice-reading.ts';
import { canMoveMoney, readMacaroon } from '../macaroon.ts';
import { readMessage } from '../socket-messages.ts';
import { callWallet, forbiddenFault, httpFault, isForbidden, refusedBecause } from '../wallet-http.ts';

interface LndOptions extends AdapterSupport {
  /** The REST address, such as `https://node.example.com:8080`. */
  readonly url: string;
  /** `invoice.macaroon` in hex. */
  readonly macaroon: string;
  /** One that trusts the node's own certificate, where it has one. */
  readonly outbound: Outbound;
}

const meanings = { SETTLED: 'settled', ACCEPTED: 'held', OPEN: 'unpaid', CANCELED: 'cancelled' } as const;

/** LND over its REST proxy. */
export function lndConnector(options: LndOptions): Connector {
  const { outbound, clock } = options;
  const base = options.url.replace(/\/+$/, '');
  const headers = { 'grpc-metadata-macaroon': options.macaroon };

  /** @returns undefined for an invoice that the node does not have. */
  async function ask(path: string, signal: AbortSignal, body?: JsonObject): Promise<JsonObject | undefined> {
    const request = {
      url: `${base}${path}`,
      headers,
      ...(body && ({ method: 'POST', body: JSON.stringify(body) } as const)),
    };
    // Errors come with status 404 or 500, and only the message tells one from another.
    const { status, json } = await callWallet(outbound, request, signal, { keepErrors: true });
    const message = typeof json?.message === 'string' ? json.message : '';
    if (isForbidden(status) || /permission denied|macaroon|verification failed|signature mismatch/i.test(message))
      throw forbiddenFault();
    if (status >= 200 && status < 300) {
      if (!json) throw notLnd();
      return json;
    }
    if (/unable to locate invoice|no existing invoices/i.test(message)) return undefined;
    if (/wallet locked|starting up|not yet ready/i.test(message)) {
      throw new WalletFault('unreachable', 'The node is locked or still starting.');
    }
    if (message !== '' && body) throw refusedBecause(message);
    throw httpFault(status);
  }

  return {
    kind: 'lnd',

    async probe(signal) {
      const answer = await ask('/v1/invoices?num_max_invoices=1', signal);
      if (answer && answer.invoices !== undefined && !Array.isArray(answer.invoices)) throw notLnd();
      const permissions = readMacaroon(Buffer.from(options.macaroon, 'hex'));
      return {
        settlementVisibility: 'proof',
        minSats: 1,
        maxSats: null,
        canSpend: permissions === undefined || canMoveMoney(permissions),
        notes: permissions === undefined ? ['What this macaroon may do cannot be read from it.'] : [],
      };
    },

    async createInvoice(request, signal) {
      requireWholeSats(request);
      const made = await ask('/v1/invoices', signal, {
        memo: fittingDescription(request),
        value_msat: String(request.amountMsat),
        expiry: String(request.expirySeconds),
      });
      return toCreatedInvoice(made?.payment_request, request, options);
    },

    async lookupInvoice(request, signal): Promise<InvoiceFact> {
      const invoice = await ask(`/v1/invoice/${request.paymentHash}`, signal);
      if (!invoice) return { state: 'unknown' };
      requireSameInvoice(hexOf(invoice.r_hash), request.paymentHash);
      return factByState(invoice.state, meanings, request, clock, {
        receivedMsat: readMsat(invoice.amt_paid_msat),
        preimage: hexOf(invoice.r_preimage),
        settledAtSeconds: invoice.settle_date,
      });
    },

    async *follow(cursor, signal): AsyncGenerator<WalletHint> {
      const from = cursor === undefined ? '' : `?settle_index=${cursor}`;
      // Of its own for each connection: whoever follows keeps one signal for as long as the wallet is there.
      const leaving = new AbortController();
      const leave = () => leaving.abort();
      signal.addEventListener('abort', leave, { once: true });
      if (signal.aborted) leave();
      const lines = outbound.lines({
        url: `${base}/v1/invoices/subscribe${from}`,
        headers,
        signal: leaving.signal,
      });
      const iterator = lines[Symbol.asyncIterator]();
      try {
        let next = iterator.next();
        next.catch(() => {});
        // The proxy sends nothing, not even headers, before there is something to tell.
        await Promise.race([next, pause(settleInMillis, leaving.signal)]);
        yield { kind: 'open', resumed: cursor !== undefined };
        for (;;) {
          const { done, value } = await next;
          if (done) return;
          const hint = readHint(value);
          if (hint) yield hint;
          next = iterator.next();
        }
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        if (error.status !== undefined && isForbidden(error.status)) throw forbiddenFault();
        throw new WalletFault('unreachable', error.message, { cause: error });
      } finally {
        signal.removeEventListener('abort', leave);
        leave();
      }
    },

    lookupHost: () => new URL(base).host,
  };
}

/** By then the node has taken up a subscription that it will not refuse. */
const settleInMillis = 300;

/** Lines tell of new invoices as well; only settled ones have an index to go on from. */
function readHint(line: string): WalletHint | undefined {
  const { result, error } = readMessage(line);
  if (error !== undefined) throw new WalletFault('unreachable', 'The node ended the stream of its invoices.');
  const { state, r_hash: hash, settle_index: index } = (result ?? {}) as JsonObject;
  if (state !== 'SETTLED') return undefined;
  return {
    kind: 'paid',
    paymentHash: hexOf(hash),
    cursor: /^\d{1,19}$/.test(String(index)) ? String(index) : undefined,
  };
}

function hexOf(base64: unknown): string | undefined {
  return typeof base64 === 'string' ? Buffer.from(base64, 'base64').toString('hex') : undefined;
}

function notLnd(): WalletFault {
  return new WalletFault('protocol', 'This server does not answer as LND does.');
}
