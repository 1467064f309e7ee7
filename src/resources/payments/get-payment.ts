import { notFound } from '../../kernel/errors.ts';
import { paymentViewSchema } from '../../model/payment-view.ts';
import { json, operation } from '../../operation/operation.ts';
import { findPayment } from '../../store/payments.ts';
import { readPaymentViews } from './read-payment-views.ts';

export const getPayment = operation({
  name: 'get_payment',
  summary: 'Show a payment with its order and invoice',
  method: 'GET',
  path: '/api/v1/m/payments/{id}',
  access: { permission: 'payments:read' },
  params: { id: 'Payment' },
  answer: json(paymentViewSchema),
  fails: ['not_found'],
  tool: {
    description: 'See one payment with its order and invoice.',
    rename: { id: 'payment_id' },
  },
  async run(call, { params }) {
    const payment = await findPayment(call.db, call.scope, params.id!);
    if (!payment) throw notFound('Payment');
    return (await readPaymentViews(call, [payment]))[0];
  },
});
