/** LND's REST proxy (lightning.engineering/api-docs), as far as an invoice macaroon goes, in front of one node. */
import { writeMacaroon } from '../support/macaroon.ts';
import { type BookedInvoice, type ReceivingNode, WalletBook } from './wallet-book.ts';
import { jsonAnswer, readBody, startWalletServer, type WalletCall, type WalletServer } from './wallet-server.ts';

export interface LndServer extends WalletServer {
  readonly invoiceMacaroon: string;
  readonly adminMacaroon: string;
}

const invoiceMacaroon = writeMacaroon({ address: ['read', 'write'], invoices: ['read', 'write'], onchain: ['read'] });
const adminMacaroon = writeMacaroon({
  address: ['read', 'write'],
  info: ['read', 'write'],
  invoices: ['read', 'write'],
  macaroon: ['generate', 'read', 'write'],
  offchain: ['read', 'write'],
  onchain: ['read', 'write'],
});

export async function startLndServer(node: ReceivingNode): Promise<LndServer> {
  const book = new WalletBook(node);
  const isKnown = ({ headers }: WalletCall) =>
    [invoiceMacaroon, adminMacaroon].includes(String(headers['grpc-metadata-macaroon']));

  const server = await startWalletServer(
    (call) => {
      if (!isKnown(call)) return failure(500, 2, 'verification failed: signature mismatch after caveat verification');
      if (call.method === 'POST' && call.path === '/v1/invoices') return create(readBody(call));
      if (call.path === '/v1/invoices')
        return jsonAnswer({ invoices: [], last_index_offset: '0', first_index_offset: '0' });
      const hash = /^\/v1\/invoice\/([0-9a-f]{64})$/.exec(call.path)?.[1];
      const invoice = hash && book.find(hash);
      if (invoice) return jsonAnswer(shown(invoice));
      return hash ? failure(404, 5, 'unable to locate invoice') : failure(404, 5, 'Not Found');
    },
    { lines },
  );

  /** Says nothing, not even headers, before there is something to tell. */
  function lines(call: WalletCall, write: (line: unknown) => void, isGone: () => boolean): boolean {
    if (call.path !== '/v1/invoices/subscribe' || !isKnown(call)) return false;
    const tell = (invoice: BookedInvoice, index: number) =>
      write({ result: { ...shown(invoice), settle_index: String(index) } });
    const from = Number(call.query.get('settle_index') ?? 0);
    const count = book.notePaid();
    for (let index = from; from > 0 && index < count; index++) tell(book.paid[index]!, index + 1);
    book.onPaid(tell, isGone, server);
    return true;
  }

  function create(body: Record<string, unknown>) {
    const { bolt11, paymentHash } = book.make({
      amountMsat: BigInt(String(body.value_msat)),
      description: String(body.memo),
      expirySeconds: Number(body.expiry),
    });
    return jsonAnswer({ r_hash: base64(paymentHash), payment_request: bolt11, add_index: '1' });
  }

  function shown(invoice: BookedInvoice) {
    const received = book.received(invoice);
    return {
      memo: invoice.description,
      r_hash: base64(invoice.paymentHash),
      // Shown before the payment as well.
      r_preimage: received ? base64(received.preimage) : Buffer.alloc(32).toString('base64'),
      payment_request: invoice.bolt11,
      value_msat: String(invoice.amountMsat),
      settled: received !== undefined,
      state: received ? 'SETTLED' : book.hasExpired(invoice) ? 'CANCELED' : 'OPEN',
      settle_date: received ? String(Math.floor(received.settledAt.getTime() / 1000)) : '0',
      amt_paid_msat: String(received?.receivedMsat ?? 0),
      settle_index: '0',
    };
  }

  return Object.assign(server, { invoiceMacaroon, adminMacaroon });
}

const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const failure = (status: number, code: number, message: string) => jsonAnswer({ code, message, details: [] }, status);
