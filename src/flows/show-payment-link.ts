import { AppError } from '../kernel/errors.ts';
import type { MerchantRow } from '../model/merchant.ts';
import type { PaymentLinkView } from '../model/payment-link-view.ts';
import { type ProductRow, toPaymentLinkUrl } from '../model/product.ts';
import { findMerchant } from '../store/merchants.ts';
import { findActiveProductBySlug } from '../store/products.ts';
import { listMerchantWallets } from '../store/wallets.ts';
import { chooseWallets } from '../wallets/choose.ts';
import { createCheckout } from './new-checkout.ts';
import type { Parts } from './parts.ts';
import { quoteBitcoin } from './quote-bitcoin.ts';

/** What a payment link sells; undefined alike for one that is unknown and for one that is not for sale. */
export async function showPaymentLink(parts: Parts, slug: string): Promise<PaymentLinkView | undefined> {
  const product = await findActiveProductBySlug(parts.db, slug);
  if (!product) return undefined;
  const merchant = (await findMerchant(parts.db, product.merchant_id))!;
  return {
    slug: product.slug,
    url: toPaymentLinkUrl(product, parts.links.payUrl)!,
    livemode: product.livemode,
    name: product.name,
    description: product.description,
    imageUrl: product.image_url,
    amountCents: product.price_cents,
    currency: product.currency,
    merchant: { name: merchant.name, logoUrl: merchant.logo_url },
    payable: await isPayable(parts, product, merchant),
    theme: merchant.checkout_theme as PaymentLinkView['theme'],
    accentColor: merchant.checkout_accent_color,
  };
}

/**
 * Opens a fresh checkout for a link. @param formToken makes a form that is sent twice one checkout.
 * @returns the token of the checkout; undefined where the link sells nothing.
 * @throws {AppError} 429 when this address opens too many.
 */
export async function openPaymentLink(
  parts: Parts,
  slug: string,
  formToken: string | undefined,
): Promise<string | undefined> {
  const product = await findActiveProductBySlug(parts.db, slug);
  if (!product) return undefined;
  return parts.db.transaction(async (tx) => {
    const origin = {
      scope: { merchantId: product.merchant_id, livemode: product.livemode },
      source: 'payment_link' as const,
      apiKeyId: null,
      now: parts.clock.now(),
      formToken,
      isPublic: true,
    };
    const { session } = await createCheckout(tx, parts, { product: product.id }, origin);
    tx.afterCommit(() => parts.db.wake('event_recorded', session.merchant_id));
    return session.token;
  });
}

/** By what is known of the wallets; none is asked. */
async function isPayable(parts: Parts, product: ProductRow, merchant: MerchantRow): Promise<boolean> {
  if (merchant.status !== 'active') return false;
  if (product.price_cents === 0) return true;
  const scope = { merchantId: product.merchant_id, livemode: product.livemode };
  const wallets = await listMerchantWallets(parts.db, scope);
  const { price_cents: amountCents, currency, livemode } = product;
  try {
    chooseWallets(
      wallets,
      quoteBitcoin(parts.rates, { amountCents, currency, livemode, merchant }).amountSats,
      undefined,
    );
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
