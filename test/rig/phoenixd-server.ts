/** phoenixd's HTTP API (phoenix.acinq.co/server/api), as far as receiving goes, in front of one node. */
import type { WebSocket } from 'ws';
import { type ReceivingNode, WalletBook } from './wallet-book.ts';
import { emptyAnswer, jsonAnswer, startWalletServer, type WalletCall, type WalletServer } from './wallet-server.ts';

export interface PhoenixdServer extends WalletServer {
  readonly limitedPassword: string;
  readonly fullPassword: string;
}

export async function startPhoenixdServer(node: ReceivingNode): Promise<PhoenixdServer> {
  const book = new WalletBook(node);
  const limitedPassword = 'limited-0123456789';
  const fullPassword = 'full-0123456789';

  const server = await startWalletServer(
    (call) => {
      const password = passwordOf(call);
      if (password !== limitedPassword && password !== fullPassword) return { status: 401, body: 'Unauthorized' };
      if (call.method === 'POST' && call.path === '/createinvoice') return create(new URLSearchParams(call.body));
      if (call.method === 'POST' && call.path === '/payinvoice') {
        return password === fullPassword ? { status: 400, body: 'missing parameter invoice' } : emptyAnswer(403);
      }
      if (call.path === '/payments/incoming') return jsonAnswer([]);
      const hash = /^\/payments\/incoming\/([0-9a-f]{64})$/.exec(call.path)?.[1];
      return hash ? show(hash) : emptyAnswer(404);
    },
    { socket },
  );

  function socket(call: WalletCall, opened: WebSocket): boolean {
    if (call.path !== '/websocket' || passwordOf(call) !== limitedPassword) return false;
    book.onPaid(
      ({ paymentHash, amountMsat, ref }) =>
        opened.send(
          JSON.stringify({
            type: 'payment_received',
            amountSat: Number(amountMsat / 1000n),
            paymentHash,
            externalId: ref ?? null,
          }),
        ),
      () => opened.readyState > 1,
      server,
    );
    return true;
  }

  function create(form: URLSearchParams) {
    const description = form.get('description') ?? '';
    if ([...description].length > 128) return { status: 400, body: 'Request parameter description is too long' };
    const amountSat = Number(form.get('amountSat'));
    const ref = form.get('externalId');
    const { bolt11, paymentHash } = book.make({
      amountMsat: BigInt(amountSat) * 1000n,
      description,
      expirySeconds: Number(form.get('expirySeconds') ?? 3600),
      ...(ref === null ? {} : { ref }),
    });
    return jsonAnswer({ amountSat, paymentHash, serialized: bolt11 });
  }

  function show(hash: string) {
    const invoice = book.find(hash);
    if (!invoice) return emptyAnswer(204);
    const received = book.received(invoice);
    return jsonAnswer({
      type: 'incoming_payment',
      subType: 'lightning',
      paymentHash: hash,
      // Shown before the payment as well.
      preimage: received?.preimage ?? '00'.repeat(32),
      externalId: invoice.ref ?? null,
      description: invoice.description,
      invoice: invoice.bolt11,
      isPaid: received !== undefined,
      receivedSat: received ? Number(received.receivedMsat / 1000n) : 0,
      fees: 0,
      completedAt: received?.settledAt.getTime() ?? null,
      createdAt: invoice.createdAt.getTime(),
    });
  }

  return Object.assign(server, { limitedPassword, fullPassword });
}

function passwordOf({ headers }: WalletCall): string | undefined {
  const encoded = /^Basic (\S+)$/.exec(headers.authorization ?? '')?.[1];
  return encoded ? Buffer.from(encoded, 'base64').toString('utf8').replace(/^:/, '') : undefined;
}
