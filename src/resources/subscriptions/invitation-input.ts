import { type Static, Type } from 'typebox';
import type { SubscriptionInvitation } from '../../flows/invite-subscriber.ts';
import { readCalendar } from '../../flows/subscription-calendar.ts';
import { addSeconds } from '../../kernel/clock.ts';
import { parseCurrency } from '../../kernel/currency.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import { dayOf, intervalUnits, isDay } from '../../model/billing-calendar.ts';
import {
  currencyInput,
  emailInput,
  inputObject,
  metadataInput,
  nameInput,
  oneOf,
  optional,
  textInput,
} from '../../model/fields.ts';
import { readPercent } from '../../model/percent.ts';
import { rails } from '../../model/subscription.ts';
import type { Call } from '../../operation/operation.ts';
import { findMerchant } from '../../store/merchants.ts';
import { findTaxedProducts } from '../../store/products.ts';

/** Far below what JSON numbers carry, so that no price of bitcoin makes a charge of it that cannot be invoiced. */
const largestChargeCents = 1_000_000_000_000;
const longestInterval = 100;
const longestTrialDays = 730;
const furthestStartDays = 5 * 366;

const chargeInput = (minimum: number, description: string) =>
  Type.Integer({ minimum, maximum: largestChargeCents, description: `${description}, in minor units` });

export const invitationInput = inputObject({
  name: optional(nameInput('What is subscribed to; with a product, its name unless you say otherwise')),
  amount_cents: optional(chargeInput(1, 'Price of a period; ignored with a product')),
  product_id: optional(textInput(64, 'UUID or slug of an active product, whose name and price are taken over')),
  interval_unit: oneOf(intervalUnits),
  interval_count: optional(Type.Integer({ minimum: 1, maximum: longestInterval, description: '1 unless you say so' })),
  currency: optional(currencyInput),
  customer_email: emailInput,
  customer_name: optional(nameInput('Shown to the customer')),
  rail: optional(oneOf(rails, 'Only bitcoin is offered')),
  starts_on: optional(textInput(10, 'Day in your time zone, YYYY-MM-DD; left out: when the customer accepts')),
  trial_days: optional(Type.Integer({ minimum: 0, maximum: longestTrialDays, description: 'Days without a charge' })),
  first_charge_cents: optional(chargeInput(0, 'Price of the first period, if another')),
  bitcoin_discount_percent: optional(textInput(10, 'Taken off every charge, a decimal string such as "5"')),
  metadata: optional(metadataInput),
});

type InvitationBody = Static<typeof invitationInput>;

/** @throws {AppError} 422 naming each member that is wrong, 404 for a product that is not there. */
export async function readInvitation(call: Call, body: InvitationBody): Promise<SubscriptionInvitation> {
  const merchant = (await findMerchant(call.db, call.scope.merchantId))!;
  const faults: string[] = [];
  const offer = await readOffer(call, body, merchant.currency, faults);
  if (body.rail === 'card') faults.push('rail must be bitcoin; cards are not offered');
  const percent = readPercent(body.bitcoin_discount_percent ?? '0');
  if (percent === undefined) {
    faults.push('bitcoin_discount_percent must be a decimal from 0 to 100 with at most 4 decimals, such as "5"');
  }
  if (body.starts_on != null) {
    const fault = await startFault(call, body.starts_on, merchant.time_zone);
    if (fault) faults.push(fault);
  }
  if (faults.length > 0) throw invalid(...faults);
  return {
    merchant_id: call.scope.merchantId,
    livemode: call.scope.livemode,
    customer_email: body.customer_email,
    customer_name: body.customer_name ?? null,
    ...offer,
    first_charge_cents: body.first_charge_cents ?? offer.amount_cents,
    interval_unit: body.interval_unit,
    interval_count: body.interval_count ?? 1,
    time_zone: merchant.time_zone,
    starts_on: body.starts_on ?? null,
    trial_days: body.trial_days ?? 0,
    bitcoin_discount_percent: percent!,
    rail: 'bitcoin',
    metadata: body.metadata ?? {},
  };
}

type Offer = Pick<SubscriptionInvitation, 'product_id' | 'name' | 'amount_cents' | 'currency' | 'agreed_taxes'>;

async function readOffer(call: Call, body: InvitationBody, fallbackCurrency: string, faults: string[]): Promise<Offer> {
  if (body.product_id == null) {
    if (body.name == null) faults.push('name is required');
    if (body.amount_cents == null) faults.push('amount_cents is required, or product_id');
    const currency = parseCurrency(body.currency) ?? fallbackCurrency;
    return {
      product_id: null,
      name: body.name ?? '',
      amount_cents: body.amount_cents ?? 0,
      currency,
      agreed_taxes: null,
    };
  }
  const name = body.product_id.toLowerCase();
  const product = (await findTaxedProducts(call.db, call.scope, [name])).get(name);
  if (!product) throw notFound('Product');
  if (product.status !== 'active') faults.push('product_id must name an active product');
  if (product.price_cents < 1 || product.price_cents > largestChargeCents) {
    faults.push(`product_id must name a product with a price from 1 to ${largestChargeCents}`);
  }
  const { product_type_id, type_name, taxes } = product;
  return {
    product_id: product.id,
    name: body.name ?? product.name,
    amount_cents: product.price_cents,
    currency: product.currency,
    agreed_taxes: product_type_id === null ? null : { taxes, product_type_id, product_type_name: type_name! },
  };
}

async function startFault(call: Call, day: string, timeZone: string): Promise<string | undefined> {
  if (!isDay(day)) return 'starts_on must be a day such as 2027-01-31';
  const { today } = await readCalendar(call.db, call.scope, call.now);
  if (day < dayOf(today, timeZone)) return 'starts_on must not be in the past';
  const furthest = dayOf(addSeconds(today, furthestStartDays * 86_400), timeZone);
  return day > furthest ? `starts_on must be at most ${furthest}` : undefined;
}
