import type { TSchema } from 'typebox';

type Json = Record<string, unknown>;

/**
 * One of our schemas in the words of OpenAPI 3.0.3: no `type` lists, no `type: null`; what may be null says
 * `nullable: true`. Our own keywords stay behind.
 */
export function toOpenApiSchema(schema: TSchema): Json {
  return convert(schema as unknown as Json);
}

function convert(schema: Json): Json {
  const { type, anyOf, enum: words, properties, patternProperties, items, ...rest } = schema;
  const plain: Json = Object.fromEntries(
    Object.entries(rest).filter(([key, value]) => !key.startsWith('x-') && value !== undefined && key !== '~kind'),
  );
  if (plain.format === 'currency') delete plain.format;
  // Undeclared members of a request are dropped, not refused.
  if (plain.additionalProperties === false) delete plain.additionalProperties;
  if (Array.isArray(anyOf)) return { ...plain, ...convertUnion(anyOf as Json[]) };
  const types = ([type].flat() as (string | undefined)[]).filter((one) => one !== undefined);
  const nullable = types.includes('null');
  const named = types.filter((one) => one !== 'null');
  return {
    ...plain,
    ...(named.length === 1 ? { type: named[0] } : {}),
    ...(nullable ? { nullable: true } : {}),
    ...(words ? { enum: words } : {}),
    ...(properties ? { properties: mapValues(properties as Record<string, Json>, convert) } : {}),
    ...(patternProperties ? { additionalProperties: anyValueOf(patternProperties as Record<string, Json>) } : {}),
    ...(items ? { items: convert(items as Json) } : {}),
  };
}

// 3.0 cannot say what keys of a record look like, only what its values are.
function anyValueOf(patterns: Record<string, Json>): Json {
  const values = Object.values(patterns);
  return values.length === 1 ? convert(values[0]!) : { anyOf: values.map(convert) };
}

function convertUnion(branches: Json[]): Json {
  const shapes = branches.filter((branch) => branch.type !== 'null');
  const nullable = shapes.length < branches.length ? { nullable: true } : {};
  if (shapes.length === 1) return { ...convert(shapes[0]!), ...nullable };
  return { anyOf: shapes.map(convert), ...nullable };
}

function mapValues<T, U>(object: Record<string, T>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}
