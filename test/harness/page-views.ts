import type { CheckoutView } from '../../src/model/checkout-view.ts';
import type { PaymentLinkView } from '../../src/model/payment-link-view.ts';
import type { ReceiptView } from '../../src/model/receipt-view.ts';

/** Characters of a BOLT11 string; pages only show it. 400 long, as those with a route hint are. */
export const exampleBolt11 = `lnbc241370n1${Array.from({ length: 388 }, (_, index) => 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'[(index * index * 7 + index * 3) % 32]).join('')}`;

const lines = [
  { name: 'Ethiopia Guji, 250 g', qty: 1, price_cents: 1800 },
  { name: 'Paper filters', qty: 2, price_cents: 225 },
];
const taxDetails = [{ name: 'Tax', rate: '8.89', inclusive: false, amount_cents: 200 }];

/** A checkout that waits for its payment; `change` says what is different. */
export function checkoutView(change: Partial<CheckoutView> = {}): CheckoutView {
  const isPaid = change.state === 'paid' || change.state === 'paid_late';
  return {
    state: 'pending',
    livemode: true,
    token: 'cs_example',
    checkoutId: '0192f0c1-0000-7000-8000-000000000001',
    merchant: { name: 'Northwind Coffee', logoUrl: null, timeZone: 'Europe/Berlin' },
    currency: 'usd',
    amountCents: 2450,
    paidCents: 0,
    amountSats: 24137,
    taxCents: 200,
    discountCents: 0,
    lines,
    taxDetails,
    exchangeRate: '101503.22',
    bolt11: change.state && change.state !== 'pending' ? undefined : exampleBolt11,
    secondsLeft: 874,
    endsAt: new Date('2026-11-27T14:32:00.000Z'),
    orderId: '0192f0c1-0000-7000-8000-000000000002',
    orderNumber: 'ORD-001042',
    paidAt: isPaid ? new Date('2026-11-27T13:21:00.000Z') : undefined,
    redirectUrl: isPaid ? 'https://shop.example/done?checkout_id=0192f0c1' : undefined,
    cancelUrl: 'https://shop.example/cart',
    receiptUrl: isPaid ? 'https://pay.example/receipts/rc_example' : undefined,
    paymentLinkSlug: undefined,
    customer: { email: null, name: null, phone: null, address: null },
    mode: 'redirect',
    theme: 'light',
    accentColor: '#4f46e5',
    allowedOrigins: [],
    unpayableReason: undefined,
    asksForPreimage: false,
    items: [],
    ...change,
  };
}

export function paymentLinkView(change: Partial<PaymentLinkView> = {}): PaymentLinkView {
  return {
    slug: 'prod_0123456789abcdef',
    url: 'https://pay.example/pay/prod_0123456789abcdef',
    livemode: true,
    name: 'Ethiopia Guji, 250 g',
    description: 'Washed, light roast. Peach and bergamot.',
    imageUrl: null,
    amountCents: 1800,
    currency: 'usd',
    merchant: { name: 'Northwind Coffee', logoUrl: null },
    payable: true,
    theme: 'light',
    accentColor: '#4f46e5',
    ...change,
  };
}

export function receiptView(change: Partial<ReceiptView> = {}): ReceiptView {
  return {
    url: 'https://pay.example/receipts/rc_example',
    livemode: true,
    status: 'paid',
    merchant: { name: 'Northwind Coffee', logoUrl: null, timeZone: 'Europe/Berlin' },
    orderNumber: 'ORD-001042',
    paidAt: new Date('2026-11-27T13:21:00.000Z'),
    currency: 'usd',
    lines: lines.map((line) => ({
      ...line,
      line_total_cents: line.price_cents * line.qty,
      tax_rate: '8.89',
      tax_amount_cents: 100,
    })),
    subtotalCents: 2250,
    discountCents: 0,
    discountName: null,
    taxCents: 200,
    taxDetails,
    totalCents: 2450,
    refundedCents: 0,
    paymentMethod: 'lightning',
    amountSats: 24137,
    exchangeRate: '101503.22',
    paymentHash: '0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0',
    preimage: 'a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90',
    accentColor: '#4f46e5',
    theme: 'light',
    ...change,
  };
}
