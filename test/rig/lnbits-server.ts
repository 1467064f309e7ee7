/** The part of the LNbits API that a receiver needs, in front of one node. */
import type { WebSocket } from 'ws';
import { type ReceivingNode, WalletBook } from './wallet-book.ts';
import { jsonAnswer, readBody, startWalletServer, type WalletCall, type WalletServer } from './wallet-server.ts';

export interface LnbitsServer extends WalletServer {
  readonly invoiceKey: string;
  readonly adminKey: string;
  /** What it says instead of making invoices. */
  refusal: { detail: string; status: 'failed' | 'pending' } | undefined;
}

export async function startLnbitsServer(node: ReceivingNode): Promise<LnbitsServer> {
  const book = new WalletBook(node);
  const invoiceKey = 'a1'.repeat(16);
  const adminKey = 'b2'.repeat(16);

  const server = await startWalletServer(
    (call) => {
      const key = call.headers['x-api-key'];
      const hash = /^\/api\/v1\/payments\/([0-9a-f]{64})$/.exec(call.path)?.[1];
      // The state of a payment is open to everybody who knows its hash.
      if (call.method === 'GET' && hash) return show(hash);
      if (key !== invoiceKey && key !== adminKey) return jsonAnswer({ detail: 'Wallet not found.' }, 404);
      if (call.method === 'GET' && call.path === '/api/v1/wallet') return jsonAnswer({ name: 'Till', balance: 0 });
      if (call.method === 'POST' && call.path === '/api/v1/payments') return create(readBody(call), key === adminKey);
      return jsonAnswer({ detail: 'Not Found' }, 404);
    },
    { socket },
  );

  function socket(call: WalletCall, opened: WebSocket): boolean {
    if (call.path !== `/api/v1/ws/${invoiceKey}`) return false;
    book.onPaid(
      ({ paymentHash, amountMsat }) =>
        opened.send(
          JSON.stringify({ wallet_balance: 0, payment: { payment_hash: paymentHash, amount: Number(amountMsat) } }),
        ),
      () => opened.readyState > 1,
      server,
    );
    return true;
  }

  function create(body: Record<string, unknown>, isAdmin: boolean) {
    if (body.out !== false) {
      return isAdmin
        ? jsonAnswer({ detail: 'Bolt11 invoice is invalid.', status: 'failed' }, 520)
        : jsonAnswer({ detail: 'Invoice (or Admin) key required.' }, 403);
    }
    if (whole.refusal) return jsonAnswer(whole.refusal, 520);
    const { bolt11, paymentHash } = book.make({
      amountMsat: BigInt(Number(body.amount)) * 1000n,
      description: String(body.memo ?? ''),
      expirySeconds: Number(body.expiry ?? 3600),
    });
    return jsonAnswer({ payment_hash: paymentHash, bolt11, payment_request: bolt11, checking_id: paymentHash }, 201);
  }

  function show(hash: string) {
    const invoice = book.find(hash);
    if (!invoice) return jsonAnswer({ detail: 'Payment does not exist.' }, 404);
    const received = book.received(invoice);
    return jsonAnswer({
      paid: received !== undefined,
      preimage: received?.preimage ?? '0'.repeat(64),
      details: {
        payment_hash: hash,
        amount: Number(received?.receivedMsat ?? invoice.amountMsat),
        bolt11: invoice.bolt11,
      },
    });
  }

  const whole: LnbitsServer = Object.assign(server, { invoiceKey, adminKey, refusal: undefined });
  return whole;
}
