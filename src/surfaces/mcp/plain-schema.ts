import type { TSchema } from 'typebox';

export type PlainSchema = Record<string, unknown>;

/** What every model API takes; anything else makes one of them refuse the whole list of tools. */
const kept = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;

const formatWords: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  currency: 'such as usd',
};

/**
 * A schema for an argument of a tool: one plain `type` everywhere, no unions, references or extensions. "May be null" goes:
 * null means that an argument is not given.
 * @throws {Error} at start, for a union that cannot be said plainly.
 */
export function toPlainSchema(schema: TSchema): PlainSchema {
  return convert(schema as unknown as PlainSchema);
}

function convert(schema: PlainSchema): PlainSchema {
  const branches = schema.anyOf as PlainSchema[] | undefined;
  if (branches) {
    const shapes = branches.filter(({ type }) => type !== 'null');
    if (shapes.length !== 1) throw new Error(`A tool cannot offer a union: ${JSON.stringify(schema)}`);
    return convert({ ...shapes[0]!, ...(schema.description ? { description: schema.description } : {}) });
  }
  const type = [schema.type].flat().find((one) => one !== 'null');
  const plain: PlainSchema = { type };
  const description = descriptionOf(schema);
  if (description !== undefined) plain.description = description;
  if (schema.enum) plain.enum = (schema.enum as unknown[]).filter((word) => word !== null);
  for (const keyword of kept) if (schema[keyword] !== undefined) plain[keyword] = schema[keyword];
  if (schema.format === 'date-time') plain.format = 'date-time';
  if (schema.items) plain.items = convert(schema.items as PlainSchema);
  if (schema.properties) {
    const members = Object.entries(schema.properties as Record<string, PlainSchema>);
    plain.properties = Object.fromEntries(members.map(([name, member]) => [name, convert(member)]));
    const required = schema.required as string[] | undefined;
    if (required && required.length > 0) plain.required = [...required];
  }
  return plain;
}

function descriptionOf({ description, format }: PlainSchema): string | undefined {
  const words = typeof format === 'string' ? formatWords[format] : undefined;
  if (words === undefined) return description as string | undefined;
  return typeof description === 'string' ? `${description} (${words})` : words;
}
