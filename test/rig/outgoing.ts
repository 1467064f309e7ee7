/** Payments that one node sends: each a promise that LDK's events settle. */
import { randomBytes } from 'node:crypto';
import * as ldk from 'lightningdevkit';
import { parseInvoice } from './invoices.ts';
import { toHex } from './ldk.ts';
import { failureOnTheWay, failureToSend, PaymentFailure } from './payment-failure.ts';

/** Proof of payment: 64 hex characters whose SHA-256 is the payment hash. */
export interface Sent {
  readonly preimage: string;
}

interface Waiting {
  readonly resolve: (sent: Sent) => void;
  readonly reject: (failure: PaymentFailure) => void;
}

export class OutgoingPayments {
  readonly #manager: ldk.ChannelManager;
  readonly #waiting = new Map<string, Waiting>();

  constructor(manager: ldk.ChannelManager) {
    this.#manager = manager;
  }

  /** Throws what can be known at once. */
  send(bolt11: string, amountMsat: bigint | undefined, waiting: Waiting): void {
    const invoice = parseInvoice(bolt11);
    if (invoice === undefined) throw new PaymentFailure('bad_invoice', 'LDK cannot read this invoice');
    const { onion, route } = wayTo(invoice, amountMsat);
    // Usually this is the payment hash. LDK would then refuse a second payment of one invoice by itself, and what
    // matters to a test is whether the receiver refuses it.
    const paymentId = new Uint8Array(randomBytes(32));
    const sent = this.#manager.send_payment(
      invoice.payment_hash(),
      onion,
      paymentId,
      route,
      ldk.Retry.constructor_attempts(0),
    );
    if (sent instanceof ldk.Result_NoneRetryableSendFailureZ_Err) throw failureToSend(sent.err);
    this.#waiting.set(toHex(paymentId), waiting);
  }

  sent(event: ldk.Event_PaymentSent): void {
    if (!(event.payment_id instanceof ldk.Option_ThirtyTwoBytesZ_Some)) return;
    this.#take(event.payment_id.some)?.resolve({ preimage: toHex(event.payment_preimage) });
  }

  failed(event: ldk.Event_PaymentFailed): void {
    const reason = event.reason instanceof ldk.Option_PaymentFailureReasonZ_Some ? event.reason.some : undefined;
    this.#take(event.payment_id)?.reject(failureOnTheWay(reason));
  }

  stop(): void {
    for (const { reject } of this.#waiting.values()) reject(new PaymentFailure('stopped', 'the node was stopped'));
    this.#waiting.clear();
  }

  #take(paymentId: Uint8Array): Waiting | undefined {
    const key = toHex(paymentId);
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    return waiting;
  }
}

function wayTo(
  invoice: ldk.Bolt11Invoice,
  amountMsat: bigint | undefined,
): { onion: ldk.RecipientOnionFields; route: ldk.RouteParameters } {
  const asked = invoice.amount_milli_satoshis();
  const namesAmount = asked instanceof ldk.Option_u64Z_Some;
  const parameters =
    namesAmount || amountMsat === undefined
      ? ldk.UtilMethods.constructor_payment_parameters_from_invoice(invoice)
      : ldk.UtilMethods.constructor_payment_parameters_from_variable_amount_invoice(invoice, amountMsat);
  if (!(parameters instanceof ldk.Result_C3Tuple_ThirtyTwoBytesRecipientOnionFieldsRouteParametersZNoneZ_OK)) {
    throw new PaymentFailure('bad_invoice', 'the invoice names no amount: pass amountMsat');
  }
  const route = parameters.res.get_c();
  if (namesAmount && amountMsat !== undefined) route.set_final_value_msat(amountMsat);
  return { onion: parameters.res.get_b(), route };
}
