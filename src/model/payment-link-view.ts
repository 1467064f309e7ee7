import { formatMoney } from '../kernel/money.ts';

/** What a payment link's page shows. */
export interface PaymentLinkView {
  readonly slug: string;
  readonly url: string;
  readonly livemode: boolean;
  readonly name: string;
  readonly description: string | null;
  readonly imageUrl: string | null;
  readonly amountCents: number;
  readonly currency: string;
  readonly merchant: { readonly name: string; readonly logoUrl: string | null };
  /** false while no wallet of the merchant can take the price. */
  readonly payable: boolean;
  readonly theme: 'light' | 'dark' | 'auto';
  readonly accentColor: string;
}

/** The description that needs no key: for agents and previews. */
export function toPaymentLink(view: PaymentLinkView) {
  return {
    object: 'payment_link' as const,
    url: view.url,
    name: view.name,
    amount_cents: view.amountCents,
    currency: view.currency,
    formatted_amount: formatMoney(view.amountCents, view.currency),
    merchant: { name: view.merchant.name },
    payable: view.payable,
    payment_methods: ['lightning'],
    how_to_pay: view.payable
      ? `POST to ${view.url} and follow the redirect to a checkout page. Ask that page for JSON with "Accept: application/json" to get a Lightning invoice, pay it within its time, and poll status_url until it says completed.`
      : 'This link cannot be paid at the moment; try again later or ask the merchant.',
  };
}
