/** The Lightning invoices of BTCPay Server's Greenfield API, in front of one node. */
import { type BookedInvoice, type ReceivingNode, WalletBook } from './wallet-book.ts';
import { jsonAnswer, readBody, startWalletServer, type WalletServer } from './wallet-server.ts';

export interface BtcpayServer extends WalletServer {
  readonly storeId: string;
  /** Change it while the server runs. */
  permissions: string[];
  readonly apiKey: string;
}

export async function startBtcpayServer(node: ReceivingNode): Promise<BtcpayServer> {
  const book = new WalletBook(node);
  const storeId = '9CiNzKoANXxmk5ayZngSXrHTiVvvgCrwrpFQd4m2K776';
  const apiKey = 'c3'.repeat(20);
  const invoices = `/api/v1/stores/${storeId}/lightning/BTC/invoices`;

  const base = await startWalletServer((call) => {
    if (call.headers.authorization !== `token ${apiKey}`) {
      return jsonAnswer({ code: 'unauthenticated', message: 'Authentication is required' }, 401);
    }
    if (call.path === '/api/v1/api-keys/current') {
      return jsonAnswer({ apiKey, label: 'till', permissions: server.permissions });
    }
    if (call.path === invoices && call.method === 'POST') {
      const body = readBody(call);
      if (typeof body.amount !== 'string') {
        return jsonAnswer([{ path: 'amount', message: 'Amount should be a string' }], 422);
      }
      const made = book.make({
        amountMsat: BigInt(body.amount),
        description: String(body.description ?? ''),
        expirySeconds: Number(body.expiry ?? 3600),
      });
      return jsonAnswer(shown(made));
    }
    const id = call.path.startsWith(`${invoices}/`) ? call.path.slice(invoices.length + 1) : undefined;
    const invoice = id === undefined ? undefined : book.find(id);
    return invoice
      ? jsonAnswer(shown(invoice))
      : jsonAnswer({ code: 'invoice-not-found', message: 'The lightning invoice was not found' }, 404);
  });

  function shown(invoice: BookedInvoice) {
    const received = book.received(invoice);
    return {
      id: invoice.paymentHash,
      status: received ? 'Paid' : book.hasExpired(invoice) ? 'Expired' : 'Unpaid',
      BOLT11: invoice.bolt11,
      paidAt: received ? Math.floor(received.settledAt.getTime() / 1000) : null,
      expiresAt: Math.floor(invoice.expiresAt.getTime() / 1000),
      amount: String(invoice.amountMsat),
      amountReceived: received ? String(received.receivedMsat) : null,
      paymentHash: invoice.paymentHash,
      preimage: received?.preimage ?? null,
    };
  }

  const permissions = ['cancreatelightninginvoice', 'canviewlightninginvoice'].map(
    (name) => `btcpay.store.${name}:${storeId}`,
  );
  const server: BtcpayServer = Object.assign(base, { storeId, permissions, apiKey });
  return server;
}
