/** clnrest in front of one node: the methods of Core Lightning that a receiver's rune allows. */
import type { RawAnswer } from './address-behaviour.ts';
import { type BookedInvoice, type ReceivingNode, WalletBook } from './wallet-book.ts';
import { jsonAnswer, readBody, startWalletServer, type WalletCall, type WalletServer } from './wallet-server.ts';

export interface ClnServer extends WalletServer {
  /** Restricted to invoice, listinvoices and waitanyinvoice. */
  readonly rune: string;
  /** May do anything. */
  readonly masterRune: string;
}

const receiving = new Set(['invoice', 'listinvoices', 'waitanyinvoice']);

export async function startClnServer(node: ReceivingNode): Promise<ClnServer> {
  const book = new WalletBook(node);
  const rune = 'restricted-rune-0123456789==';
  const masterRune = 'master-rune-0123456789==';

  const server = await startWalletServer(
    (call) => {
      const method = /^\/v1\/(\w+)$/.exec(call.path)?.[1] ?? '';
      const given = call.headers.rune;
      const isAllowed = given === masterRune || (given === rune && receiving.has(method));
      if (!isAllowed) return jsonAnswer({ code: 1502, message: 'Not permitted: method is not equal to invoice' }, 401);
      const body = readBody(call);
      if (method === 'invoice') return create(body);
      if (method === 'listinvoices') return list(body);
      return jsonAnswer({ code: -32602, message: 'missing required parameter: bolt11' }, 500);
    },
    { later },
  );

  function later(call: WalletCall, answer: (answer: RawAnswer) => void): boolean {
    if (call.path !== '/v1/waitanyinvoice' || call.headers.rune !== rune) return false;
    const { lastpay_index: last, timeout } = readBody(call) as { lastpay_index: number; timeout: number };
    const until = Date.now() + timeout * 1000;
    const timer = setInterval(() => {
      book.notePaid();
      const paid = book.paid[last];
      if (!paid && Date.now() < until) return;
      clearInterval(timer);
      // A question has one answer, which may only be late.
      const [delayMillis = 0] = paid ? server.pushes() : [];
      setTimeout(() => tell(paid), delayMillis);
    }, 10);
    timer.unref();
    const tell = (paid: BookedInvoice | undefined) => {
      if (paid) answer(jsonAnswer({ ...shown(paid), pay_index: last + 1 }, 201));
      else answer(jsonAnswer({ code: 904, message: 'Timed out while waiting for invoice to be paid' }, 500));
    };
    return true;
  }

  function create(body: Record<string, unknown>) {
    const label = String(body.label);
    if (book.findByRef(label)) return jsonAnswer({ code: 900, message: `Duplicate label '${label}'` }, 500);
    const made = book.make({
      amountMsat: BigInt(Number(body.amount_msat)),
      description: String(body.description),
      expirySeconds: Number(body.expiry ?? 604_800),
      ref: label,
    });
    const expiresAt = Math.floor(made.expiresAt.getTime() / 1000);
    return jsonAnswer({ payment_hash: made.paymentHash, expires_at: expiresAt, bolt11: made.bolt11 }, 201);
  }

  function list(body: Record<string, unknown>) {
    const invoice =
      body.label === undefined ? book.find(String(body.payment_hash)) : book.findByRef(String(body.label));
    return jsonAnswer({ invoices: invoice ? [shown(invoice)] : [] }, 201);
  }

  function shown(invoice: BookedInvoice) {
    const received = book.received(invoice);
    const paid = received && {
      amount_received_msat: Number(received.receivedMsat),
      paid_at: Math.floor(received.settledAt.getTime() / 1000),
      payment_preimage: received.preimage,
      pay_index: 1,
    };
    return {
      label: invoice.ref,
      bolt11: invoice.bolt11,
      payment_hash: invoice.paymentHash,
      amount_msat: Number(invoice.amountMsat),
      status: received ? 'paid' : book.hasExpired(invoice) ? 'expired' : 'unpaid',
      ...paid,
    };
  }

  return Object.assign(server, { rune, masterRune });
}
