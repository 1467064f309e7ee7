import { AppError } from '../kernel/errors.ts';
import { statusOfCheckoutSession } from '../model/checkout-session.ts';
import type { MerchantRow } from '../model/merchant.ts';
import type { PaymentLinkView } from '../model/payment-link-view.ts';
import { type ProductRow, toPaymentLinkUrl } from '../model/product.ts';
import { scopeOf } from '../model/scope.ts';
import { findCheckoutSessionByForm } from '../store/checkout-sessions.ts';
import { findMerchant } from '../store/merchants.ts';
import { findActiveProductBySlug } from '../store/products.ts';
import { listMerchantWallets } from '../store/wallets.ts';
import { chooseWallets } from '../wallets/choose.ts';
import { admitPublicCheckout } from './admit-public-checkout.ts';
import { createCheckout } from './new-checkout.ts';
import type { Parts } from './parts.ts';
import { priceOrder } from './price-order.ts';
import { quoteBitcoin } from './quote-bitcoin.ts';

/** What a payment link sells; undefined alike for one that is unknown and for one that is not for sale. */
export async function showPaymentLink(parts: Parts, slug: string): Promise<PaymentLinkView | undefined> {
  const offer = await readOffer(parts, slug);
  if (!offer) return undefined;
  const { product, totalCents } = offer;
  const merchant = (await findMerchant(parts.db, product.merchant_id))!;
  return {
    slug: product.slug,
    url: toPaymentLinkUrl(product, parts.links.payUrl)!,
    livemode: product.livemode,
    name: product.name,
    description: product.description,
    imageUrl: product.image_url,
    amountCents: totalCents,
    currency: product.currency,
    merchant: { name: merchant.name, logoUrl: merchant.logo_url },
    payable: (await whyNotPayable(parts, product, merchant, totalCents)) === undefined,
    theme: merchant.checkout_theme as PaymentLinkView['theme'],
    accentColor: merchant.checkout_accent_color,
  };
}

interface LinkVisitor {
  /** Where the payer calls from. */
  address: string;
  /** Makes a form that is sent twice one checkout. */
  formToken: string | undefined;
}

/**
 * Opens a fresh checkout for a link.
 * @returns the token of the checkout; undefined where the link sells nothing.
 * @throws {AppError} 429 when this address opens too many, 422 or 503 when no wallet can take the price.
 */
export async function openPaymentLink(
  parts: Parts,
  slug: string,
  { address, formToken }: LinkVisitor,
): Promise<string | undefined> {
  const offer = await readOffer(parts, slug);
  if (!offer) return undefined;
  const { product, totalCents } = offer;
  const now = parts.clock.now();
  const earlier = formToken ? await findCheckoutSessionByForm(parts.db, product.id, formToken) : undefined;
  if (earlier && ['pending', 'completed'].includes(statusOfCheckoutSession(earlier, now))) return earlier.token;
  const merchant = (await findMerchant(parts.db, product.merchant_id))!;
  const reason = await whyNotPayable(parts, product, merchant, totalCents);
  if (reason) throw reason;
  return parts.db.transaction(async (tx) => {
    const origin = {
      scope: scopeOf(product),
      source: 'payment_link' as const,
      apiKeyId: null,
      now,
      // A form that is found again in history after its checkout is over opens another.
      formToken: earlier ? undefined : formToken,
      isPublic: true,
    };
    const { session } = await admitPublicCheckout(parts, { merchantId: product.merchant_id, address, now }, () =>
      createCheckout(tx, parts, { product: product.id }, origin),
    );
    return session.token;
  });
}

interface Offer {
  product: ProductRow;
  /** The price with the taxes that come on top: what a payer will pay. */
  totalCents: number;
}

/** Of one moment: an amount read later could be of another currency than the product that it is told with. */
function readOffer({ db, clock }: Parts, slug: string): Promise<Offer | undefined> {
  return db.snapshot(async (tx) => {
    const product = await findActiveProductBySlug(tx, slug);
    if (!product) return undefined;
    const basket = { lines: [{ product: product.id, qty: 1 }] };
    const { totalCents } = await priceOrder(tx, scopeOf(product), basket, clock.now());
    return { product, totalCents };
  });
}

/** By what is known of the wallets; none is asked. undefined: it can be paid. */
async function whyNotPayable(
  parts: Parts,
  { livemode, currency, merchant_id: merchantId }: ProductRow,
  merchant: MerchantRow,
  amountCents: number,
): Promise<AppError | undefined> {
  if (merchant.status !== 'active') return new AppError('forbidden', 'This shop takes no payments at the moment');
  if (amountCents === 0) return undefined;
  const wallets = await listMerchantWallets(parts.db, { merchantId, livemode });
  try {
    const feePercent = merchant.conversion_fee_percent;
    const { amountSats } = quoteBitcoin(parts.rates, { amountCents, currency, livemode, feePercent });
    chooseWallets(wallets, amountSats, undefined);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
