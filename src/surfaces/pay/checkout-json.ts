import type { CheckoutView } from '../../model/checkout-view.ts';

/** What pollers of a checkout page read; its shape is older than this service (docs/checkout.md). */
export function checkoutStatus(view: CheckoutView): Record<string, unknown> {
  switch (view.state) {
    case 'paid':
    case 'paid_late': {
      const [first] = view.items;
      return {
        status: 'completed',
        // The members of a pending one stay, so that a poller may read them in any state.
        payment_request: null,
        time_remaining: 0,
        amount_sats: view.amountSats ?? null,
        amount_cents: view.amountCents,
        currency: view.currency,
        items: view.items.map(({ order_item_id, product_id, access_token }) => ({
          order_item_id,
          product_id,
          access_token,
        })),
        ...(first ? { access_token: first.access_token, access_duration_seconds: first.access_duration_seconds } : {}),
        order_id: view.orderId,
        order_number: view.orderNumber,
        redirect_url: view.redirectUrl ?? null,
        paid_late: view.state === 'paid_late',
      };
    }
    case 'expired':
    case 'cancelled':
      return { status: view.state };
    default:
      return {
        status: 'pending',
        payment_request: view.bolt11 ?? null,
        time_remaining: view.secondsLeft,
        amount_sats: view.amountSats ?? null,
        amount_cents: view.amountCents,
        currency: view.currency,
        held: view.state === 'held',
        payable: view.state !== 'unpayable',
        ...(view.unpayableReason ? { reason: view.unpayableReason } : {}),
      };
  }
}

/** The whole checkout for agents: what it costs, the invoice, and how to pay in plain words. */
export function checkoutDescription(view: CheckoutView, payUrl: string): Record<string, unknown> {
  const base = `${payUrl}/checkout/${view.token}`;
  return {
    object: 'checkout',
    livemode: view.livemode,
    id: view.checkoutId,
    url: base,
    status_url: `${base}/status`,
    ...checkoutStatus(view),
    amount_cents: view.amountCents,
    currency: view.currency,
    amount_sats: view.amountSats ?? null,
    items: view.lines,
    ...(view.items.length > 0 ? { access: view.items } : {}),
    merchant: { name: view.merchant.name },
    ...(view.asksForPreimage ? { preimage_url: `${base}/preimage` } : {}),
    how_to_pay: howToPay(view, base),
  };
}

function afterPaying({ asksForPreimage }: CheckoutView, base: string): string {
  if (!asksForPreimage) return `read ${base}/status until status is completed`;
  return `POST {"preimage": "<64 hex characters from your wallet>"} to ${base}/preimage: the shop's wallet does not tell`;
}

function howToPay(view: CheckoutView, base: string): string {
  switch (view.state) {
    case 'pending':
      return (
        `Pay the Lightning invoice in payment_request (${view.amountSats} sats) with any Lightning wallet within ` +
        `${view.secondsLeft} seconds, then ${afterPaying(view, base)}.` +
        (view.livemode ? '' : ` This is a test: POST ${base}/simulate_payment pays it.`)
      );
    case 'held':
      return `A payment is on its way; read ${base}/status until status is completed.`;
    case 'unpayable':
      return view.unpayableReason ?? 'This checkout cannot be paid at the moment.';
    case 'paid':
    case 'paid_late':
      return 'Nothing is left to pay.';
    default:
      return 'This checkout is over; do not pay its invoice. Ask for a new one.';
  }
}
