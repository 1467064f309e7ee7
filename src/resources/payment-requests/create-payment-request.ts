import { Type } from 'typebox';
import { checkAllowance, takeAllowance } from '../../flows/key-allowance.ts';
import { draftOrder } from '../../flows/new-order.ts';
import { askForFrozen, type FrozenOrder, freezeOrder, writeFrozen } from '../../flows/order-with-invoice.ts';
import { invalid } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import {
  centsInput,
  currencyInput,
  emailInput,
  inputObject,
  metadataInput,
  nameInput,
  optional,
} from '../../model/fields.ts';
import { createdPaymentRequestSchema, type PaymentRequestRow, toPaymentRequest } from '../../model/payment-request.ts';
import { json, operation } from '../../operation/operation.ts';
import { insertPaymentRequest } from '../../store/payment-requests.ts';

const body = inputObject({
  payment_request: inputObject({
    amount_cents: centsInput('Amount asked for'),
    payment_method: Type.String({ description: '`lightning`, the only method' }),
    description: nameInput('What it is for; the payer sees it'),
    customer_email: optional(emailInput),
    currency: optional(currencyInput),
    metadata: optional(metadataInput),
  }),
});

interface Frozen extends FrozenOrder {
  paymentRequestId: string;
}

export const createPaymentRequest = operation({
  name: 'create_payment_request',
  summary: 'Ask for a payment: an order of one line with its Lightning invoice',
  method: 'POST',
  path: '/api/v1/m/payment_requests',
  status: 201,
  access: { permission: 'payments:write' },
  body,
  answer: json(createdPaymentRequestSchema),
  fails: ['amount_exceeds_wallet_limits', 'no_wallet', 'volume_exceeded', 'wallet_unavailable', 'rate_unavailable'],
  tool: {
    optional: ['payment_method'],
    adapt: (given) => ({ payment_method: 'lightning', ...given }),
    description:
      'Ask for one amount with a description that the payer sees, and get a Lightning invoice ' +
      '(payment_request) to hand over. Simpler than create_order when there is nothing to itemise.',
  },
  idempotency: 'wallet',
  steps: {
    async prepare(call, { body }): Promise<Frozen> {
      const { amount_cents, payment_method, description, customer_email, currency, metadata } = body.payment_request;
      if (payment_method !== 'lightning') throw invalid('payment_method must be lightning');
      const order = await draftOrder(
        call.db,
        call.parts.rates,
        {
          totalAmountCents: amount_cents,
          currency,
          items: [{ name: description, price_cents: amount_cents, qty: 1 }],
          customerEmail: customer_email,
          metadata,
        },
        {
          scope: call.scope,
          source: 'payment_request',
          apiKeyId: call.caller.credentialId,
          now: call.now,
        },
      );
      await checkAllowance(call, { amountCents: amount_cents, currency: order.currency });
      return { ...(await freezeOrder(call.db, order, description)), paymentRequestId: newId() };
    },
    ask: (call, frozen) => askForFrozen(call.parts, frozen, call.signal),
    async commit(call, frozen, issued) {
      const { order, invoice } = await writeFrozen(call.db, call.parts, frozen, issued, call.now);
      const row: PaymentRequestRow = {
        id: frozen.paymentRequestId,
        merchant_id: order.merchant_id,
        livemode: order.livemode,
        order_id: order.id,
        invoice_id: invoice.id,
        description: frozen.description,
        amount_cents: order.total_amount_cents,
        created_at: order.created_at,
      };
      await insertPaymentRequest(call.db, row);
      await takeAllowance(call, { amountCents: row.amount_cents, currency: order.currency });
      return toPaymentRequest(row, invoice, undefined);
    },
  },
});
