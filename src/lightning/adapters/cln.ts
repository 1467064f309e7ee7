import type { JsonObject } from '../../kernel/json-object.ts';
import type { Outbound } from '../../kernel/outbound.ts';
import {
  type Connector,
  type CreatedInvoice,
  type InvoiceFact,
  type InvoiceRequest,
  WalletFault,
} from '../connector.ts';
import {
  type AdapterSupport,
  factByState,
  fittingDescription,
  readMsat,
  requireSameInvoice,
  requireWholeSats,
  toCreatedInvoice,
} from '../invoice-reading.ts';
import { callWallet, forbiddenFault, httpFault, isForbidden, refusedBecause } from '../wallet-http.ts';

interface ClnOptions extends AdapterSupport {
  /** Where clnrest listens, such as `https://node.example.com:3010`. */
  readonly url: string;
  /** Restricted to invoice, listinvoices and waitanyinvoice. */
  readonly rune: string;
  /** One that trusts the node's own certificate, where it has one. */
  readonly outbound: Outbound;
}

const meanings = { paid: 'settled', unpaid: 'unpaid', expired: 'expired' } as const;

/** Error codes of Core Lightning: `invoice` with a label that is taken, `waitanyinvoice` without news in time. */
const labelTaken = 900;
const nothingYet = 904;
/** How long the node is asked to wait; the answer must come within the time of any call. Seconds. */
const waitSeconds = 5;

/** Core Lightning over its clnrest plugin. Our reference is the invoice's label, so that nothing is made twice. */
export function clnConnector(options: ClnOptions): Connector {
  const { outbound, clock } = options;

  async function call(method: string, parameters: JsonObject, signal: AbortSignal) {
    return callWallet(
      outbound,
      {
        url: `${options.url.replace(/\/+$/, '')}/v1/${method}`,
        method: 'POST',
        headers: { rune: options.rune, 'content-type': 'application/json' },
        body: JSON.stringify(parameters),
      },
      signal,
      // Errors of the node come with status 400 or 500 and say what they are in `code`.
      { keepErrors: true },
    );
  }

  async function ask(method: string, parameters: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { status, json } = await call(method, parameters, signal);
    if (isForbidden(status)) throw forbiddenFault();
    if (json && typeof json.code === 'number') throw new NodeError(json.code, json.message);
    if (status < 200 || status > 299) throw httpFault(status);
    if (!json) throw new WalletFault('protocol', 'This server does not answer as clnrest does.');
    return json;
  }

  async function find(by: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined> {
    const { invoices } = await ask('listinvoices', by, signal);
    if (!Array.isArray(invoices)) throw new WalletFault('protocol', 'This server does not answer as clnrest does.');
    return invoices[0];
  }

  async function findByLabel(request: InvoiceRequest, signal: AbortSignal): Promise<CreatedInvoice> {
    const invoice = await find({ label: request.ref }, signal);
    return toCreatedInvoice(invoice?.bolt11, request, options);
  }

  /** The next invoice paid after `index`; undefined when there is none in time. */
  async function waitForPaid(index: number, seconds: number, signal: AbortSignal) {
    try {
      const paid = await ask('waitanyinvoice', { lastpay_index: index, timeout: seconds }, signal);
      const { pay_index: next, payment_hash: hash } = paid;
      if (typeof next !== 'number' || !Number.isSafeInteger(next) || next <= index) {
        throw new WalletFault('protocol', 'The node does not say which payment this is.');
      }
      return { index: next, paymentHash: typeof hash === 'string' ? hash : undefined };
    } catch (error) {
      if (error instanceof NodeError && error.code === nothingYet) return undefined;
      throw error;
    }
  }

  return {
    kind: 'cln',

    async probe(signal) {
      await find({ label: 'satline probe' }, signal);
      // With nothing to pay: a restricted rune is turned away before anything is read.
      const { status } = await call('pay', { bolt11: '' }, signal);
      return { settlementVisibility: 'proof', minSats: 1, maxSats: null, canSpend: !isForbidden(status), notes: [] };
    },

    async createInvoice(request, signal) {
      requireWholeSats(request);
      const parameters = {
        label: request.ref,
        amount_msat: Number(request.amountMsat),
        description: fittingDescription(request),
        expiry: request.expirySeconds,
      };
      try {
        const made = await ask('invoice', parameters, signal);
        return toCreatedInvoice(made.bolt11, request, options);
      } catch (error) {
        if (error instanceof NodeError && error.code === labelTaken) return findByLabel(request, signal);
        throw error instanceof NodeError ? refusedBecause(error.reason) : error;
      }
    },

    async lookupInvoice(request, signal): Promise<InvoiceFact> {
      const invoice = await find({ payment_hash: request.paymentHash }, signal);
      if (!invoice) return { state: 'unknown' };
      requireSameInvoice(invoice.payment_hash, request.paymentHash);
      return factByState(invoice.status, meanings, request, clock, {
        receivedMsat: readMsat(invoice.amount_received_msat),
        preimage: invoice.payment_preimage,
        settledAtSeconds: invoice.paid_at,
      });
    },

    async *follow(cursor, signal) {
      let index = Number(cursor ?? 0);
      // What was paid earlier comes at once and in order. Only after that is the stream as new as the node.
      let isOpen = false;
      while (!signal.aborted) {
        const seconds = isOpen ? waitSeconds : 0;
        const paid = await waitForPaid(index, seconds, signal);
        if (paid) {
          index = paid.index;
          yield { kind: 'paid', paymentHash: paid.paymentHash, cursor: String(index) };
        } else if (!isOpen) {
          isOpen = true;
          yield { kind: 'open', resumed: cursor !== undefined };
        }
      }
    },

    lookupHost: () => new URL(options.url).host,
  };
}

/** What the node itself answered; a protocol fault unless somebody knows its code. */
class NodeError extends WalletFault {
  readonly code: number;
  readonly reason: unknown;

  constructor(code: number, reason: unknown) {
    super('protocol', `The node answered with error ${code}.`);
    this.code = code;
    this.reason = reason;
  }
}
