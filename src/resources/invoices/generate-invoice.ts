import { Type } from 'typebox';
import { checkLargestAmount } from '../../flows/key-allowance.ts';
import { openInvoice } from '../../flows/open-invoice.ts';
import { AppError, invalid, notFound } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { inputObject, optional } from '../../model/fields.ts';
import { toInvoice } from '../../model/invoice.ts';
import { invoiceViewSchema } from '../../model/invoice-view.ts';
import { toOrder } from '../../model/order.ts';
import { type Call, json, operation } from '../../operation/operation.ts';
import { findCurrentInvoice, findInvoiceForJob } from '../../store/invoices.ts';
import { findOrder } from '../../store/orders.ts';

const body = inputObject({
  order_id: Type.String({ description: 'Order to be paid' }),
  payment_method: optional(Type.String({ description: '`lightning`, the only method' })),
});

export const generateInvoice = operation({
  name: 'generate_invoice',
  summary: 'Get a Lightning invoice for what an order still owes',
  description:
    'Answers the open invoice while it has a minute left, else a new one. Parallel calls get the same one. Of an order ' +
    'that a Lightning invoice paid it is that invoice, `paid`.',
  method: 'POST',
  path: '/api/v1/m/invoices/generate',
  status: 201,
  access: { permission: 'orders:write' },
  body,
  answer: json(invoiceViewSchema),
  fails: [
    'not_found',
    'conflict',
    'amount_exceeds_wallet_limits',
    'no_wallet',
    'wallet_unavailable',
    'rate_unavailable',
  ],
  tool: {
    description:
      'Get a fresh Lightning invoice (payment_request) for what an order still owes, when it was made ' +
      'without one or its invoice expired. An invoice that can still be paid is answered again.',
  },
  idempotency: 'wallet',
  steps: {
    async prepare(call, { body }) {
      const method = body.payment_method ?? 'lightning';
      if (method !== 'lightning') throw invalid('payment_method must be lightning');
      if (!isUuid(body.order_id)) throw notFound('Order');
      const orderId = body.order_id.toLowerCase();
      if (call.caller.allowance) {
        // Whoever made the order: a key that may not ask for so much may not have it paid either.
        const order = await findOrder(call.db, call.scope, orderId);
        if (!order) throw notFound('Order');
        await checkLargestAmount(call, { amountCents: order.total_amount_cents, currency: order.currency });
      }
      return { orderId };
    },
    async ask(call, { orderId }) {
      try {
        return (await openInvoice(call.parts, call.scope, orderId, call.signal)).id;
      } catch (error) {
        const paidId = isConflict(error) ? await findPaidInvoiceId(call, orderId) : undefined;
        if (paidId === undefined) throw error;
        return paidId;
      }
    },
    async commit(call, { orderId }, invoiceId) {
      const now = call.parts.clock.now();
      const [invoice, order] = await Promise.all([
        findInvoiceForJob(call.db, invoiceId, now),
        findOrder(call.db, call.scope, orderId),
      ]);
      return { ...toInvoice(invoice!, now), order: toOrder(order!) };
    },
  },
});

const isConflict = (error: unknown) => error instanceof AppError && error.code === 'conflict';

/** Who asks again because the answer was lost, while the payer was quick, gets the invoice that exists. */
async function findPaidInvoiceId({ parts, scope }: Omit<Call, 'db'>, orderId: string): Promise<string | undefined> {
  const order = await findOrder(parts.db, scope, orderId);
  if (order?.status !== 'paid' && order?.status !== 'refunded') return undefined;
  const invoice = await findCurrentInvoice(parts.db, orderId, parts.clock.now());
  return invoice?.status === 'paid' ? invoice.id : undefined;
}
