import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { currencies, currencyExponent } from '../../src/kernel/currency.ts';
import { decodeBolt11 } from '../../src/lightning/bolt11.ts';
import { openTestApp, type TestApp, type TestMerchant } from '../harness/app.ts';
import { expectLedgerToHold } from '../harness/ledger.ts';
import { orderBody } from '../harness/orders.ts';

let app: TestApp;
let merchant: TestMerchant;
beforeAll(async () => {
  app = await openTestApp({ watch: false });
  merchant = await app.newMerchant();
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await expectLedgerToHold(app);
  await app.close();
});

const ofExponent = (exponent: number) => currencies.filter((code) => currencyExponent(code) === exponent);
/** Each number of decimals as often as the others; few currencies have none or three. */
const currency = fc.oneof(...[0, 2, 3, 4].map((exponent) => fc.constantFrom(...ofExponent(exponent))));
const total = fc.oneof(
  fc.integer({ min: 1, max: 200 }),
  fc.integer({ min: 1, max: 10_000_000 }),
  fc.integer({ min: 1, max: 2 ** 31 }),
);
/** Prices as they are published: two to four decimals. */
const price = fc
  .tuple(fc.integer({ min: 1000, max: 400_000_000 }), fc.integer({ min: 0, max: 9999 }))
  .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(4, '0')}`);
const feePercent = fc.oneof(
  fc.constant('0'),
  fc.integer({ min: 1, max: 100_000 }).map((fee) => `${fee / 10_000}`),
);

/** The amount in whole sats, rounded up, by nothing but integers and the definition. */
function satsOf(cents: number, code: string, btcFiat: string, fee: string): bigint {
  const scaled = (text: string, digits: number) => {
    const [whole, fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(digits, '0'));
  };
  const feeMillionths = BigInt(cents) * scaled(fee, 4);
  const feeCents = (feeMillionths + 500_000n) / 1_000_000n;
  const dividend = (BigInt(cents) + feeCents) * 100_000_000n * 10_000n;
  const divisor = scaled(btcFiat, 4) * 10n ** BigInt(currencyExponent(code));
  return (dividend + divisor - 1n) / divisor;
}

test('an amount is the same number of sats on order, invoice, BOLT11 string and payment', async () => {
  await fc.assert(
    fc.asyncProperty(
      currency,
      total,
      price,
      feePercent,
      fc.boolean(),
      async (code, total_amount_cents, btcFiat, fee, inOneCall) => {
        vi.restoreAllMocks();
        const rate = { btcUsd: '65000.00', btcFiat, currency: code, source: 'fixed', stale: false };
        const fetchedAt = app.clock.now();
        vi.spyOn(app.parts.rates.test, 'quote').mockImplementation(() => ({ ...rate, fetchedAt }));
        await app.rows('update merchants set conversion_fee_percent = $2 where id = $1', [merchant.id, fee]);
        const sats = satsOf(total_amount_cents, code, btcFiat, fee);

        const body = orderBody({ currency: code, total_amount_cents }, { generate_invoice: inOneCall });
        const { status, body: order } = await merchant.test.post('/api/v1/m/orders', body);
        expect([status, BigInt(order.total_amount_sats)]).toEqual([201, sats]);
        expect(order).toMatchObject({ currency: code, total_amount_cents, btc_fiat_price_at_creation: btcFiat });

        const { body: invoice } = inOneCall
          ? await merchant.test.get(`/api/v1/m/invoices/${order.invoice.id}`)
          : await merchant.test.post('/api/v1/m/invoices/generate', { order_id: order.id });
        expect(BigInt(invoice.amount_sats)).toBe(sats);
        expect(BigInt(invoice.order.total_amount_sats)).toBe(sats);
        expect(decodeBolt11(invoice.payment_request).amountMsat).toBe(sats * 1000n);

        const { body: payment } = await merchant.test.post(`/api/v1/m/invoices/${invoice.id}/simulate_payment`);
        expect(BigInt(payment.amount_sats)).toBe(sats);
        // At the very rate it was quoted at, nobody got less than the price: rounding up is worth less than one sat.
        expect(payment.fiat_variance_cents).toBeGreaterThanOrEqual(0);
        const { body: shown } = await merchant.test.get(`/api/v1/m/orders/${order.id}?expand=invoice`);
        expect(shown).toMatchObject({ status: 'paid', attention: null, total_amount_sats: Number(sats) });
        expect(shown.invoice.amount_sats).toBe(Number(sats));
      },
    ),
    {
      numRuns: 25,
      examples: [
        // C037: 0.01 eur that gives 30.4 sats.
        ['eur', 1, '32894.7368', '0', true],
        // C034: 500 yen.
        ['jpy', 500, '15900000.0000', '0', true],
        ['kwd', 1234, '30900.0000', '0', false],
        // C036: a cent worth less than a sat.
        ['usd', 1, '200000000.0000', '0', true],
      ],
    },
  );
}, 120_000);
