import { PaymentFailureReason, RetryableSendFailure } from 'lightningdevkit';

/**
 * - `route_not_found`: no usable channel, or too little money on our side of it
 * - `rejected`: the receiver refused (too little, invoice too long expired, already paid, cancelled)
 * - `gave_up`: LDK's retries ran out
 * - `bad_invoice`: not readable, or without an amount where one is needed
 * - `stopped`: the node was stopped first; whether the money arrives is open
 * - `other`: see the message
 */
type PaymentFailureCode = 'route_not_found' | 'rejected' | 'gave_up' | 'bad_invoice' | 'stopped' | 'other';

/** What a refused `pay` rejects with. */
export class PaymentFailure extends Error {
  readonly code: PaymentFailureCode;

  constructor(code: PaymentFailureCode, message: string) {
    super(message);
    this.name = 'PaymentFailure';
    this.code = code;
  }
}

/** LDK would not even start to send. */
export function failureToSend(reason: RetryableSendFailure): PaymentFailure {
  const code = reason === RetryableSendFailure.LDKRetryableSendFailure_RouteNotFound ? 'route_not_found' : 'other';
  return new PaymentFailure(code, `not sent: ${RetryableSendFailure[reason]}`);
}

/** LDK sent, and the money came back. */
export function failureOnTheWay(reason: PaymentFailureReason | undefined): PaymentFailure {
  if (reason === undefined) return new PaymentFailure('other', 'failed without a reason');
  return new PaymentFailure(codes.get(reason) ?? 'other', `failed: ${PaymentFailureReason[reason]}`);
}

const codes = new Map<PaymentFailureReason, PaymentFailureCode>([
  [PaymentFailureReason.LDKPaymentFailureReason_RecipientRejected, 'rejected'],
  [PaymentFailureReason.LDKPaymentFailureReason_RouteNotFound, 'route_not_found'],
  [PaymentFailureReason.LDKPaymentFailureReason_RetriesExhausted, 'gave_up'],
]);
