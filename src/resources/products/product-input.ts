import { type Static, type TObject, Type } from 'typebox';
import { parseCurrency } from '../../kernel/currency.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { isWebAddress } from '../../kernel/web-address.ts';
import { centsInput, currencyInput, metadataInput, nameInput, oneOf, optional, textInput } from '../../model/fields.ts';
import { positionInput } from '../../model/position.ts';
import { type ProductRow, productStatuses } from '../../model/product.ts';
import type { Call } from '../../operation/operation.ts';
import { findProductType } from '../../store/product-types.ts';

/** As long as an access token without an end lives. */
const hundredYearsSeconds = 100 * 365 * 86_400;

export const productNameInput = nameInput('What is sold');
export const priceInput = centsInput('Price of one');

/** The members that create and update share. */
export const productMembers = {
  description: optional(textInput(5000, 'More about it')),
  sku: optional(textInput(200, 'Stock keeping unit')),
  currency: optional(currencyInput),
  status: optional(oneOf(productStatuses, 'Only what is active is sold; what is archived is in no list either')),
  position: optional(positionInput),
  product_type_id: optional(textInput(64, 'Product type; an archived product has none')),
  resource_type: optional(textInput(50, 'Such as digital_download, physical or service')),
  image_url: optional(textInput(2048, 'http(s) address of an image; pages show it over https only')),
  access_duration_seconds: optional(
    Type.Integer({
      minimum: 1,
      maximum: hundredYearsSeconds,
      description:
        'How many seconds a buyer has access; for life without a number, or with that of 100 years, 3153600000',
    }),
  ),
  external_ref: optional(textInput(200, 'Your own reference')),
  metadata: optional(metadataInput),
};

export type ProductBody = Static<TObject<typeof productMembers>> & { name?: string; price_cents?: number };

/** Lays what was sent over a product. @throws {AppError} 422 for what is wrong, 404 for a product type that is not there. */
export async function withProductBody(call: Call, before: ProductRow, body: ProductBody): Promise<ProductRow> {
  const or = <T>(value: T | undefined, otherwise: T): T => (value === undefined ? otherwise : value);
  const status = body.status ?? before.status;
  if (status === 'archived' && body.product_type_id != null) {
    throw invalid('product_type_id must be null for an archived product');
  }
  if (body.image_url != null && !isWebAddress(body.image_url)) throw invalid('image_url must be an http(s) address');
  if (body.product_type_id != null) await requireProductType(call, body.product_type_id);
  const typeId = or(body.product_type_id, before.product_type_id)?.toLowerCase() ?? null;
  return {
    ...before,
    name: body.name ?? before.name,
    description: or(body.description, before.description),
    sku: or(body.sku, before.sku),
    price_cents: body.price_cents ?? before.price_cents,
    currency: parseCurrency(body.currency) ?? before.currency,
    status,
    position: body.position ?? before.position,
    product_type_id: status === 'archived' ? null : typeId,
    resource_type: or(body.resource_type, before.resource_type),
    image_url: or(body.image_url, before.image_url),
    access_duration_seconds: or(body.access_duration_seconds, before.access_duration_seconds),
    external_ref: or(body.external_ref, before.external_ref),
    metadata: body.metadata ?? before.metadata,
    updated_at: call.now,
  };
}

async function requireProductType(call: Call, id: string): Promise<void> {
  if (!isUuid(id) || !(await findProductType(call.db, call.scope, id))) throw notFound('Product type');
}
