import { isJsonObject, type JsonObject } from '../../kernel/json-object.ts';
import type { Outbound } from '../../kernel/outbound.ts';
import { type Connector, type InvoiceFact, WalletFault } from '../connector.ts';
import {
  type AdapterSupport,
  factByState,
  fittingDescription,
  requireSameInvoice,
  requireWholeSats,
  toCreatedInvoice,
} from '../invoice-reading.ts';
import { readMessage, socketMessages } from '../socket-messages.ts';
import { callWallet, goodObject, refusedBecause } from '../wallet-http.ts';

interface BlinkOptions extends AdapterSupport {
  /** The GraphQL endpoint: `https://api.blink.sv/graphql`. */
  readonly url: string;
  /** With the scopes READ and RECEIVE. */
  readonly apiKey: string;
  readonly outbound: Outbound;
}

const account = `query { authorization { scopes } me { defaultAccount { wallets { id walletCurrency } } } }`;
const create = `mutation ($input: LnInvoiceCreateInput!) {
  lnInvoiceCreate(input: $input) { invoice { paymentRequest paymentHash } errors { message } } }`;
const updates = `subscription {
  myUpdates { update { ... on LnUpdate { paymentHash status } } } }`;
const status = `query ($input: LnInvoicePaymentStatusByHashInput!) {
  lnInvoicePaymentStatusByHash(input: $input) { status paymentHash paymentPreimage } }`;

const meanings = { PAID: 'settled', PENDING: 'unpaid', EXPIRED: 'expired' } as const;

/** A Blink account over its GraphQL API, paid into its bitcoin wallet. */
export function blinkConnector(options: BlinkOptions): Connector {
  const { outbound, clock } = options;
  let walletId: string | undefined;

  async function ask(query: string, input: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject> {
    const answer = await callWallet(
      outbound,
      {
        url: options.url,
        method: 'POST',
        headers: { 'x-api-key': options.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ query, ...(input ? { variables: { input } } : {}) }),
      },
      signal,
    );
    const { data, errors } = goodObject(answer);
    // GraphQL may tell of an error in a part of the answer beside the rest of it.
    if (isJsonObject(data) && Object.values(data).some(isJsonObject)) return data;
    const said = Array.isArray(errors) ? errors[0]?.message : undefined;
    if (/not authori[sz]ed|unauthori[sz]ed|authentication/i.test(String(said))) {
      throw new WalletFault('unauthorized', 'Blink does not accept the key, or it may not do this.');
    }
    if (said !== undefined) throw refusedBecause(said);
    if (!isJsonObject(data)) throw new WalletFault('protocol', 'This server does not answer as Blink does.');
    return data;
  }

  async function readAccount(signal: AbortSignal): Promise<{ walletId: string; scopes: readonly unknown[] }> {
    const { me, authorization } = await ask(account, undefined, signal);
    // GraphQL answers an unknown key with an empty `me`.
    if (!isJsonObject(me)) throw new WalletFault('unauthorized', 'Blink does not know this key.');
    const wallets =
      isJsonObject(me.defaultAccount) && Array.isArray(me.defaultAccount.wallets) ? me.defaultAccount.wallets : [];
    const bitcoin = wallets.find((wallet) => isJsonObject(wallet) && wallet.walletCurrency === 'BTC');
    if (typeof bitcoin?.id !== 'string') throw new WalletFault('protocol', 'The Blink account has no bitcoin wallet.');
    walletId = bitcoin.id as string;
    const scopes = isJsonObject(authorization) && Array.isArray(authorization.scopes) ? authorization.scopes : [];
    return { walletId, scopes };
  }

  return {
    kind: 'blink',

    async probe(signal) {
      const { scopes } = await readAccount(signal);
      if (!scopes.includes('RECEIVE') || !scopes.includes('READ')) {
        throw new WalletFault('unauthorized', 'The key lacks the scope RECEIVE or READ.');
      }
      return {
        settlementVisibility: 'proof',
        minSats: 1,
        maxSats: null,
        canSpend: scopes.includes('WRITE'),
        notes: ['Invoices of Blink live for whole minutes.'],
      };
    },

    async createInvoice(request, signal) {
      const amount = requireWholeSats(request);
      const input = {
        walletId: walletId ?? (await readAccount(signal)).walletId,
        amount,
        memo: fittingDescription(request),
        expiresIn: Math.max(1, Math.ceil(request.expirySeconds / 60)),
        externalId: request.ref,
      };
      const { lnInvoiceCreate: made } = await ask(create, input, signal);
      if (!isJsonObject(made)) throw new WalletFault('protocol', 'Blink gave no invoice.');
      const [error] = Array.isArray(made.errors) ? made.errors : [];
      if (error) throw refusedBecause(error.message);
      return toCreatedInvoice(isJsonObject(made.invoice) ? made.invoice.paymentRequest : undefined, request, options);
    },

    async lookupInvoice(request, signal): Promise<InvoiceFact> {
      const { paymentHash } = request;
      const answer = await ask(status, { paymentHash }, signal).catch(emptyWhenUnknown);
      const { lnInvoicePaymentStatusByHash: invoice } = answer;
      if (!isJsonObject(invoice)) return { state: 'unknown' };
      requireSameInvoice(invoice.paymentHash, paymentHash);
      return factByState(invoice.status, meanings, request, clock, { preimage: invoice.paymentPreimage });
    },

    async *follow(_cursor, signal) {
      // https://api.blink.sv/graphql has its subscriptions at wss://ws.blink.sv/graphql.
      const url = options.url.replace(/^http/, 'ws').replace('//api.', '//ws.');
      const socket = outbound.socket({ url, protocols: ['graphql-transport-ws'] });
      const send = (message: JsonObject) => socket.send(JSON.stringify(message));
      for await (const text of socketMessages(socket, signal)) {
        const message = text === null ? {} : readMessage(text);
        if (text === null) send({ type: 'connection_init', payload: { 'X-API-KEY': options.apiKey } });
        else if (message.type === 'ping') send({ type: 'pong' });
        else if (message.type === 'connection_ack') {
          send({ id: 'updates', type: 'subscribe', payload: { query: updates } });
          send({ type: 'ping' });
        } else if (message.type === 'pong') {
          // Read after the subscription, which itself gets no answer.
          yield { kind: 'open', resumed: false };
        } else if (message.type === 'next') {
          const hash = paidHash(message.payload);
          if (hash !== undefined) yield { kind: 'paid', paymentHash: hash };
        } else if (message.type === 'error' || message.type === 'complete') {
          throw new WalletFault('refused', 'Blink ended the stream of its updates.');
        }
      }
    },

    lookupHost: () => new URL(options.url).host,
  };
}

/** Blink has no code for an invoice that it does not have, or no longer has; only its sentence tells. */
function emptyWhenUnknown(error: unknown): JsonObject {
  if (error instanceof WalletFault && error.kind === 'refused' && /does not exist|not found/i.test(error.message)) {
    return {};
  }
  throw error;
}

/** `LnUpdate` comes when an invoice is paid; other updates have no payment hash. */
function paidHash(payload: unknown): string | undefined {
  const data = isJsonObject(payload) && isJsonObject(payload.data) ? payload.data : {};
  const update = isJsonObject(data.myUpdates) && isJsonObject(data.myUpdates.update) ? data.myUpdates.update : {};
  return typeof update.paymentHash === 'string' ? update.paymentHash : undefined;
}
