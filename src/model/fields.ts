import { type Static, type TSchema, Type } from 'typebox';

/**
 * The vocabulary of shapes: each kind of field is named and described once and reads the same in every request,
 * answer, tool and document.
 */

/** `null` beside the schema. Plain types become `type: [t, 'null']`, which serialises fast and converts to OpenAPI 3.0. */
export function nullable<S extends TSchema>(schema: S) {
  const plain = schema as { type?: string; enum?: readonly unknown[] };
  if (typeof plain.type === 'string' && plain.type !== 'object' && plain.type !== 'array') {
    const withNull = plain.enum ? { enum: [...plain.enum, null] } : {};
    return Type.Unsafe<Static<S> | null>({ ...schema, type: [plain.type, 'null'], ...withNull });
  }
  return Type.Unsafe<Static<S> | null>(Type.Union([schema, Type.Null()]));
}

export function oneOf<const W extends readonly string[]>(words: W, description?: string) {
  return Type.Unsafe<W[number]>({ type: 'string', enum: [...words], ...(description ? { description } : {}) });
}

/** Marks the shape's kind: `objectName('order')` is always the word `order`. */
export const objectName = <const N extends string>(name: N) => Type.Unsafe<N>({ type: 'string', enum: [name] });

export const uuid = (description: string) => Type.String({ format: 'uuid', description });
export const timestamp = (description: string) => Type.String({ format: 'date-time', description });
export const cents = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: `${description}, in minor units` });
export const signedCents = (description: string) => Type.Integer({ description: `${description}, in minor units` });
export const sats = (description: string) => Type.Integer({ minimum: 0, description: `${description}, in satoshis` });
export const decimalString = (description: string) => Type.String({ description: `${description}, a decimal string` });
export const currencyCode = Type.String({ description: 'ISO 4217 code, lower case' });
export const livemode = Type.Boolean({ description: 'false for test data' });

/** Free-form data of the merchant. The service never writes its own data into it. */
export const metadata = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description:
    'Your own data: up to 50 keys of up to 40 characters, strings up to 500 characters; 16 kB in all where a value is no ' +
    'string',
});

// What callers send. `x-trim` removes surrounding blanks before the other rules look (operation/body.ts).

export const nameInput = (description: string) =>
  Type.String({ 'x-trim': true, minLength: 1, maxLength: 500, description });
export const textInput = (maxLength: number, description: string) => Type.String({ maxLength, description });
/** What somebody typed into a form; a field that was left empty is fine. */
export const typedInput = (maxLength: number, description: string) =>
  Type.String({ 'x-trim': true, maxLength, description });
export const emailInput = Type.String({
  'x-trim': true,
  format: 'email',
  maxLength: 254,
  description: 'E-mail address',
});
export const currencyInput = Type.String({ format: 'currency', description: 'ISO 4217 code in any case' });
export const centsInput = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: `${description}, in minor units` });
export const metadataInput = Type.Unsafe<Record<string, unknown>>({
  ...metadata,
  format: undefined,
  'x-metadata': true,
});

/** Null or left out both mean "not given". */
export const optional = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema));

export const inputObject = <P extends Record<string, TSchema>>(properties: P) =>
  Type.Object(properties, { additionalProperties: false });
