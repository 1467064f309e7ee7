import { invalid } from '../../kernel/errors.ts';
import { centsInput, oneOf } from '../../model/fields.ts';
import type { ToolDeclaration } from '../../operation/operation.ts';

/**
 * `create_order` as agents know it: `amount_cents` beside `total_amount_cents`, a total or items by product, and an invoice
 * unless they say otherwise.
 */
export const orderTool: ToolDeclaration = {
  description:
    'Ask for money: makes an order and, unless generate_invoice is false, a Lightning invoice. Give the customer ' +
    'invoice.payment_request and call check_invoice_status until paid is true. Give amount_cents, with or without items; ' +
    'or items that each name a product_id and no total: then the catalog prices them, with its taxes and the discount_id. ' +
    'For cash that was taken already: tender_type cash and mark_as_paid true.',
  extra: {
    amount_cents: centsInput('The total; the same as total_amount_cents'),
    payment_method: oneOf(['lightning'], 'How it is paid'),
  },
  // A total, or items by product, will do.
  optional: ['total_amount_cents', 'items'],
  adapt: toOrderArguments,
};

/** @throws {AppError} 422 */
function toOrderArguments(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { amount_cents, payment_method, ...rest } = given;
  const total = rest.total_amount_cents ?? amount_cents;
  if (amount_cents !== undefined && amount_cents !== total) {
    throw invalid('amount_cents and total_amount_cents differ; send one of them');
  }
  const isCash = rest.tender_type === 'cash' || rest.mark_as_paid === true;
  return {
    ...rest,
    ...(total === undefined ? {} : { total_amount_cents: total }),
    items: rest.items ?? lineOf(total),
    generate_invoice: rest.generate_invoice ?? !isCash,
  };
}

function lineOf(total: unknown): unknown {
  if (total === undefined) throw invalid('amount_cents is required, or items that each name a product_id');
  // A total that is wrong is told of once, not again as the price of the line that we make.
  const price = Number.isSafeInteger(total) && (total as number) >= 0 ? total : 0;
  return [{ name: 'Order', price_cents: price, qty: 1 }];
}
