import { isObject } from './json-rpc.ts';

export type PlainSchema = Record<string, unknown>;

/** What every model API takes; anything else makes one of them refuse the whole list of tools. */
const kept = new Set([
  'type',
  'description',
  'enum',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'items',
  'properties',
  'required',
]);

/**
 * A schema for the arguments of a tool: one plain `type` everywhere, no unions, references or extensions. "May be null"
 * goes: null means that an argument is not given.
 */
export function toPlainSchema(schema: unknown): PlainSchema {
  if (!isObject(schema)) return {};
  const union = (schema.anyOf ?? schema.oneOf) as unknown[] | undefined;
  if (union) {
    const [first] = union.filter((one) => isObject(one) && one.type !== 'null');
    return { ...toPlainSchema(first), ...(schema.description ? { description: schema.description } : {}) };
  }
  const plain: PlainSchema = {};
  for (const [name, value] of Object.entries(schema)) if (kept.has(name)) plain[name] = value;
  if (Array.isArray(schema.type)) plain.type = schema.type.find((type) => type !== 'null');
  if (Array.isArray(plain.enum)) plain.enum = plain.enum.filter((word) => word !== null);
  if (schema.format === 'date-time') plain.format = 'date-time';
  else if (typeof schema.format === 'string') plain.description = describedFormat(plain.description, schema.format);
  if (isObject(plain.items)) plain.items = toPlainSchema(plain.items);
  if (isObject(plain.properties)) {
    plain.properties = Object.fromEntries(
      Object.entries(plain.properties).map(([name, member]) => [name, toPlainSchema(member)]),
    );
  }
  return plain;
}

function describedFormat(description: unknown, format: string): string {
  const text = typeof description === 'string' ? description : '';
  return text === '' ? `Format: ${format}` : `${text} (${format})`;
}
