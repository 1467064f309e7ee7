import { type Static, Type } from 'typebox';
import { invoiceLifeSeconds, issueInvoice } from '../../flows/issue-invoice.ts';
import { draftOrder, writeNewOrder } from '../../flows/new-order.ts';
import { takeCash } from '../../flows/take-cash.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import { isUuid, newId } from '../../kernel/ids.ts';
import { inputObject, optional } from '../../model/fields.ts';
import { toInvoice } from '../../model/invoice.ts';
import { type OrderRow, toOrder } from '../../model/order.ts';
import { orderViewSchema } from '../../model/order-view.ts';
import type { WalletRow } from '../../model/wallet.ts';
import { type Call, json, type OperationInput, operation } from '../../operation/operation.ts';
import { findMerchant } from '../../store/merchants.ts';
import { findWallet, listMerchantWallets } from '../../store/wallets.ts';
import { chooseWallets } from '../../wallets/choose.ts';
import type { IssuedByWallet } from '../../wallets/runtime.ts';
import { itemsInput, orderMembers, toOrderRequest, totalInput } from './order-input.ts';

const body = inputObject({
  order: inputObject({ total_amount_cents: totalInput, items: itemsInput, ...orderMembers }),
  generate_invoice: optional(Type.Boolean({ description: 'Also make a Lightning invoice and answer with it' })),
  mark_as_paid: optional(Type.Boolean({ description: 'The cash has been taken already' })),
});
type Body = Static<typeof body>;

/** What must not change between tries: decided and kept before the wallet is asked. */
interface Frozen {
  order: OrderRow;
  invoiceId: string;
  walletIds: string[];
}

export const createOrder = operation({
  name: 'create_order',
  summary: 'Create an order, on request with a Lightning invoice',
  description:
    'Totals stand as sent. With `generate_invoice` the merchant’s wallet makes a BOLT11 invoice in the same call. ' +
    'With `mark_as_paid` a cash order is paid at once.',
  method: 'POST',
  path: '/api/v1/m/orders',
  status: 201,
  access: { permission: 'orders:write' },
  body,
  answer: json(orderViewSchema),
  fails: ['not_found', 'amount_exceeds_wallet_limits', 'no_wallet', 'wallet_unavailable', 'rate_unavailable'],
  tool: {},
  idempotency: (input) => (input.body.generate_invoice ? 'wallet' : 'database'),

  async run(call, input) {
    const order = await draft(call, input);
    await writeNewOrder(call.db, order);
    call.afterCommit(() => call.parts.db.wake('event_recorded', order.merchant_id));
    if (!input.body.mark_as_paid) return toOrder(order);
    return toOrder((await takeCash(call.db, order, call.now)).order);
  },

  steps: {
    async prepare(call, input): Promise<Frozen> {
      const order = await draft(call, input);
      if (order.total_amount_sats < 1) throw invalid('an order of 0 gets no invoice; leave out generate_invoice');
      const wallets = await listMerchantWallets(call.db, call.scope);
      const pinned = order.wallet_pinned ? order.wallet_id! : undefined;
      const chosen = chooseWallets(wallets, order.total_amount_sats, pinned);
      return { order, invoiceId: newId(), walletIds: chosen.map((wallet) => wallet.id) };
    },

    async ask(call, { order, invoiceId, walletIds }, resumed): Promise<IssuedByWallet> {
      const wallets = await listMerchantWallets(call.parts.db, call.scope);
      const chosen = walletIds
        .map((id) => wallets.find((wallet) => wallet.id === id))
        .filter((wallet): wallet is WalletRow => wallet !== undefined);
      const request = {
        ref: invoiceId,
        amountMsat: BigInt(order.total_amount_sats) * 1000n,
        description: `Order ${order.order_number}`,
        expirySeconds: invoiceLifeSeconds,
      };
      return call.parts.wallets.createInvoice(chosen, request, call.signal, resumed);
    },

    async commit(call, frozen, issued) {
      const order = { ...thawed(frozen.order), wallet_id: issued.wallet.id };
      await writeNewOrder(call.db, order);
      const terms = {
        invoiceId: frozen.invoiceId,
        amountSats: order.total_amount_sats,
        quotedCents: order.total_amount_cents,
      };
      const invoice = await issueInvoice(call.db, call.parts.sealer, order, terms, issued, call.now);
      call.afterCommit(() => call.parts.db.wake('event_recorded', order.merchant_id));
      return { ...toOrder(order), invoice: toInvoice(invoice, call.now) };
    },
  },
});

async function draft(call: Call, { body }: OperationInput<Body>): Promise<OrderRow> {
  const { order, generate_invoice, mark_as_paid } = body;
  const isCash = order.tender_type === 'cash';
  if (mark_as_paid && !isCash)
    throw invalid('mark_as_paid needs tender_type cash; bitcoin orders are paid by payments');
  if (generate_invoice && isCash) throw invalid('generate_invoice needs tender_type bitcoin');
  const [merchant] = await Promise.all([
    findMerchant(call.db, call.scope.merchantId),
    order.wallet_id ? requireWallet(call, order.wallet_id) : undefined,
  ]);
  return draftOrder(call.db, call.parts.rates, toOrderRequest(order), {
    scope: call.scope,
    merchant: merchant!,
    source: call.source,
    apiKeyId: call.caller.credentialId,
    now: call.now,
  });
}

async function requireWallet(call: Call, id: string): Promise<void> {
  if (!isUuid(id) || !(await findWallet(call.db, call.scope, id))) throw notFound('Wallet');
}

// Frozen input travels through JSON when it is kept with a key; the moments in it come back as text.
function thawed(order: OrderRow): OrderRow {
  return {
    ...order,
    rate_quoted_at: order.rate_quoted_at && new Date(order.rate_quoted_at),
    created_at: new Date(order.created_at),
    updated_at: new Date(order.updated_at),
  };
}
