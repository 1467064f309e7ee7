import { invalid } from '../../kernel/errors.ts';
import type { PlainSchema } from './plain-schema.ts';
import type { Tool } from './tool.ts';

/**
 * `create_order` as agents know it: `amount_cents` beside `total_amount_cents`, items may be left out, and an invoice is
 * made unless they say otherwise.
 */
export function asOrderTool(tool: Tool): Tool {
  const { properties } = tool.listed.inputSchema as { properties: Record<string, PlainSchema> };
  const alias = {
    amount_cents: {
      type: 'integer',
      minimum: 0,
      description: 'The total in minor units; the same as total_amount_cents',
    },
    payment_method: { type: 'string', enum: ['lightning'], description: 'How it is paid' },
  };
  const invoice = {
    ...properties.generate_invoice,
    description: 'Whether a Lightning invoice is made; true unless said otherwise',
  };
  return {
    ...tool,
    listed: {
      ...tool.listed,
      // Neither name of the total is required, nor items: a total, or items by product, will do.
      inputSchema: { type: 'object', properties: { ...properties, ...alias, generate_invoice: invoice } },
    },
  };
}

/** Turns the names and defaults above into those of the operation. @throws {AppError} 422 */
export function toOrderArguments(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { amount_cents, payment_method, ...rest } = withoutNull(args);
  if (payment_method !== undefined && payment_method !== 'lightning') throw invalid('payment_method must be lightning');
  if (amount_cents !== undefined && rest.total_amount_cents !== undefined && amount_cents !== rest.total_amount_cents) {
    throw invalid('amount_cents and total_amount_cents differ; send one of them');
  }
  const total = rest.total_amount_cents ?? amount_cents;
  const wantsCash = rest.tender_type === 'cash' || rest.mark_as_paid === true;
  return {
    ...rest,
    ...(total === undefined ? {} : { total_amount_cents: total }),
    items: rest.items ?? lineOf(total),
    generate_invoice: rest.generate_invoice ?? !wantsCash,
  };
}

function lineOf(total: unknown): unknown {
  if (total === undefined) throw invalid('total_amount_cents is required, or items that each name a product_id');
  return [{ name: 'Order', price_cents: total, qty: 1 }];
}

function withoutNull(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
}
