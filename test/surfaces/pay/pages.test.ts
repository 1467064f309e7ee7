import { brotliCompressSync, constants } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { CheckoutView } from '../../../src/model/checkout-view.ts';
import { dictionaryOf, languages } from '../../../src/surfaces/pages/language.ts';
import { renderCheckoutPage } from '../../../src/surfaces/pay/pages/checkout-page.tsx';
import { renderMissingPage } from '../../../src/surfaces/pay/pages/missing-page.tsx';
import { renderPaymentLinkPage } from '../../../src/surfaces/pay/pages/payment-link-page.tsx';
import { renderReceiptPage } from '../../../src/surfaces/pay/pages/receipt-page.tsx';
import { checkoutView, paymentLinkView, receiptView } from '../../harness/page-views.ts';

const nonce = 'bm9uY2U=';
const options = { nonce, language: 'en' } as const;
const states: CheckoutView['state'][] = ['pending', 'held', 'paid', 'paid_late', 'expired', 'cancelled', 'unpayable'];

describe('hostile text (case C066)', () => {
  const evil = `</script><img src=x onerror=alert(1)>"'{{7*7}}`;
  const merchant = { name: evil, logoUrl: 'javascript:alert(1)', timeZone: 'UTC' };
  const lines = [{ name: evil, qty: 2, price_cents: 1 }];
  const taxDetails = [{ name: evil, rate: '1', inclusive: false, amount_cents: 1 }];
  const customer = { name: evil, email: evil, phone: evil, address: evil };

  test('stays text on every page, in every state', () => {
    const pages = [
      ...states.map((state) =>
        renderCheckoutPage(checkoutView({ state, merchant, lines, taxDetails, customer }), options),
      ),
      renderPaymentLinkPage(
        paymentLinkView({ name: evil, description: evil, merchant, imageUrl: 'javascript:alert(1)' }),
        options,
      ),
      renderReceiptPage(
        receiptView({
          merchant,
          discountCents: 1,
          discountName: evil,
          taxDetails,
          lines: [{ ...lines[0]!, line_total_cents: 2, tax_rate: '1', tax_amount_cents: 0 }],
        }),
        options,
      ),
    ];
    for (const page of pages) {
      expect(page).not.toContain('<img');
      expect(page).not.toContain('javascript:');
      expect(page).toContain('{{7*7}}');
      // Nothing runs and nothing is styled but what carries the nonce; attributes that the policy refuses are not used.
      for (const [tag] of page.matchAll(/<(script|style)\s[^>]*>/g)) {
        expect(tag).toMatch(/nonce="bm9uY2U="|type="application\/json"/);
      }
      expect(page).not.toMatch(/<[^>]*\s(style|on[a-z]+)="/);
    }
  });
});

describe('ways out of a checkout', () => {
  const successUrl = 'https://shop.example/done';

  test('lead to the success address only after a payment', () => {
    for (const state of states) {
      const isPaid = state.startsWith('paid');
      const view = checkoutView({ state, redirectUrl: isPaid ? `${successUrl}?checkout_id=1` : undefined });
      const page = renderCheckoutPage(view, options);
      expect([state, page.includes(successUrl)]).toEqual([state, isPaid]);
      expect([state, page.includes('https://shop.example/cart')]).toEqual([state, !isPaid]);
    }
  });

  test('offer a fresh checkout only where a payment link led to this one', () => {
    const link = renderCheckoutPage(checkoutView({ state: 'expired', paymentLinkSlug: 'prod_1' }), options);
    expect(link).toContain('action="/pay/prod_1?locale=en"');
    expect(renderCheckoutPage(checkoutView({ state: 'expired' }), options)).not.toContain('Get a new invoice');
  });

  test('a late payment is not led back by itself: it wants a talk first', () => {
    expect(renderCheckoutPage(checkoutView({ state: 'paid' }), options)).toContain('id="returning"');
    expect(renderCheckoutPage(checkoutView({ state: 'paid_late' }), options)).not.toContain('id="returning"');
  });

  test('no invoice is shown once there is nothing to pay, and none is simulated in live mode', () => {
    for (const state of states.slice(1))
      expect(renderCheckoutPage(checkoutView({ state }), options)).not.toContain('lnbc');
    expect(renderCheckoutPage(checkoutView(), options)).not.toContain('simulate_payment');
    expect(renderCheckoutPage(checkoutView({ livemode: false }), options)).toContain('simulate_payment');
  });
});

test('why nothing can be paid is told truly in every language', () => {
  for (const language of languages) {
    const page = (change: Partial<CheckoutView>) =>
      renderCheckoutPage(checkoutView({ state: 'unpayable', ...change }), { nonce, language });
    const words = dictionaryOf(language).checkout;
    expect(page({})).toContain(words.unpayableText('Northwind Coffee'));
    expect(page({ waitSeconds: 30 })).toContain(words.tooMany);
  }
  const reason = 'The wallet does not answer.';
  expect(renderCheckoutPage(checkoutView({ state: 'unpayable', unpayableReason: reason }), options)).toContain(reason);
});

test('who asks again keeps the language and the page around the frame', () => {
  const page = renderCheckoutPage(checkoutView({ state: 'unpayable' }), options);
  expect(page).toMatch(/<a class="button" href(="")?><span>Try again/);
});

test('of an order that is paid in part the price is what is left, and the lines say how it comes about', () => {
  for (const state of ['pending', 'unpayable'] as const) {
    expect(renderCheckoutPage(checkoutView({ state }), options)).not.toContain('Left to pay');
  }
  const page = renderCheckoutPage(checkoutView({ paidCents: 1000 }), options);
  const text = page.replaceAll(/<[^>]+>/g, '');
  expect(text).toContain('Pay Northwind Coffee · $14.50');
  expect(text).toContain('$14.5024,137 sats');
  expect(text).toContain('Total$24.50Already paid−$10.00Left to pay$14.50');
});

test('a tax that prices hold already is told apart from one that is added', () => {
  const tax = { name: 'VAT', rate: '20', amount_cents: 200 };
  for (const [inclusive, name] of [
    [false, 'VAT 20%'],
    [true, 'VAT 20% (included)'],
  ] as const) {
    const taxDetails = [{ ...tax, inclusive }];
    const pages = [
      renderCheckoutPage(checkoutView({ taxDetails }), options),
      renderReceiptPage(receiptView({ taxDetails }), options),
    ];
    for (const page of pages) expect(page).toContain(`>${name}</dt>`);
  }
});

test('when a payment came is told with the name of the time zone, which need not be the payer’s', () => {
  const merchant = { name: 'Northwind', logoUrl: null, timeZone: 'Pacific/Kiritimati' };
  const page = renderCheckoutPage(checkoutView({ state: 'paid', merchant }), options);
  expect(page).toMatch(/<time[^>]*>Nov 28, 2026, 3:21\sAM GMT\+14<\/time>/);
});

test('out of a frame the wallet opens from the whole window', () => {
  expect(renderCheckoutPage(checkoutView({ mode: 'iframe' }), options)).toMatch(
    /<a class="qr" href="lightning:[^"]+" target="_top"/,
  );
  expect(renderCheckoutPage(checkoutView(), options)).not.toContain('_top');
});

test('every page is small in every language', () => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 5 };
  for (const language of languages) {
    const size = (html: string) => brotliCompressSync(html, { params }).length;
    expect(
      size(renderCheckoutPage(checkoutView({ theme: 'auto', livemode: false }), { nonce, language })),
    ).toBeLessThan(10_000);
    expect(size(renderReceiptPage(receiptView(), { nonce, language }))).toBeLessThan(6_000);
    expect(size(renderPaymentLinkPage(paymentLinkView(), { nonce, language }))).toBeLessThan(6_000);
    expect(size(renderMissingPage({ nonce, language }))).toBeLessThan(4_000);
  }
});

test('a payment link tells other sites what it sells, and search engines nothing', () => {
  const page = renderPaymentLinkPage(paymentLinkView({ currency: 'jpy', amountCents: 500 }), options);
  expect(page).toContain('<meta property="og:title" content="Ethiopia Guji, 250 g · ¥500"/>');
  expect(page).toContain('<meta property="product:price:amount" content="500"/>');
  expect(page).toContain('<meta name="robots" content="noindex"/>');
});

test('cash stands on a receipt as cash', () => {
  const page = renderReceiptPage(
    receiptView({ paymentMethod: 'cash', amountSats: null, exchangeRate: null, paymentHash: null, preimage: null }),
    options,
  );
  expect(page).toContain('Cash');
  expect(page).not.toMatch(/sats|Payment hash/);
});
