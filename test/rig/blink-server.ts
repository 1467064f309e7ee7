/** The queries of Blink's GraphQL API that a receiver sends, in front of one node. */
import type { WebSocket } from 'ws';
import { type ReceivingNode, WalletBook } from './wallet-book.ts';
import { jsonAnswer, readBody, startWalletServer, type WalletCall, type WalletServer } from './wallet-server.ts';

export interface BlinkServer extends WalletServer {
  readonly apiKey: string;
  /** Change it while the server runs. */
  scopes: string[];
}

export async function startBlinkServer(node: ReceivingNode): Promise<BlinkServer> {
  const book = new WalletBook(node);
  const apiKey = 'blink_0123456789abcdef';
  const walletId = '7b0a2d1c-0000-4000-8000-000000000001';

  const base = await startWalletServer(
    (call) => {
      if (call.headers['x-api-key'] !== apiKey)
        return jsonAnswer({ data: { me: null, authorization: { scopes: [] } } });
      const { query, variables } = readBody(call) as { query?: string; variables?: { input: Record<string, unknown> } };
      const input = variables?.input ?? {};
      if (query?.includes('lnInvoiceCreate(')) return create(input);
      if (query?.includes('lnInvoicePaymentStatusByHash(')) return status(String(input.paymentHash));
      if (query?.includes('defaultAccount')) {
        const wallets = [
          { id: '7b0a2d1c-0000-4000-8000-000000000002', walletCurrency: 'USD' },
          { id: walletId, walletCurrency: 'BTC' },
        ];
        return jsonAnswer({ data: { me: { defaultAccount: { wallets } }, authorization: { scopes: server.scopes } } });
      }
      return jsonAnswer({ errors: [{ message: 'Cannot query' }] }, 400);
    },
    { socket },
  );

  /** The protocol `graphql-transport-ws`, as far as one subscription goes. */
  function socket(_call: WalletCall, opened: WebSocket): boolean {
    const send = (message: unknown) => opened.send(JSON.stringify(message));
    opened.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.type === 'connection_init') {
        if (message.payload['X-API-KEY'] !== apiKey) return opened.close(4403, 'Forbidden');
        send({ type: 'connection_ack' });
      } else if (message.type === 'ping') send({ type: 'pong' });
      else if (message.type === 'subscribe') {
        const update = (paymentHash: string) => ({ myUpdates: { update: { paymentHash, status: 'PAID' } } });
        book.onPaid(
          ({ paymentHash }) => send({ id: message.id, type: 'next', payload: { data: update(paymentHash) } }),
          () => opened.readyState > 1,
          server,
        );
      }
    });
    return true;
  }

  function create(input: Record<string, unknown>) {
    if (!server.scopes.includes('RECEIVE')) {
      return jsonAnswer({ errors: [{ message: 'not authorized to execute mutations' }], data: null });
    }
    if (input.walletId !== walletId) {
      return jsonAnswer({ data: { lnInvoiceCreate: { invoice: null, errors: [{ message: 'Invalid wallet' }] } } });
    }
    const { bolt11, paymentHash } = book.make({
      amountMsat: BigInt(Number(input.amount)) * 1000n,
      description: String(input.memo ?? ''),
      expirySeconds: Number(input.expiresIn) * 60,
      ref: String(input.externalId),
    });
    const invoice = { paymentRequest: bolt11, paymentHash };
    return jsonAnswer({ data: { lnInvoiceCreate: { invoice, errors: [] } } });
  }

  function status(paymentHash: string) {
    const invoice = book.find(paymentHash);
    if (!invoice) {
      const message = `User tried to pay invoice with hash ${paymentHash}, but it does not exist`;
      return jsonAnswer({ data: null, errors: [{ message }] });
    }
    const received = book.received(invoice);
    const lnInvoicePaymentStatusByHash = {
      status: received ? 'PAID' : book.hasExpired(invoice) ? 'EXPIRED' : 'PENDING',
      paymentHash,
      paymentPreimage: received?.preimage ?? null,
    };
    return jsonAnswer({ data: { lnInvoicePaymentStatusByHash } });
  }

  const server: BlinkServer = Object.assign(base, { apiKey, scopes: ['READ', 'RECEIVE'] });
  return server;
}
