import type { FilterFields, FilterType, Predicate } from '../../kernel/filters.ts';
import type { Operation } from '../../operation/operation.ts';
import { isObject } from './json-rpc.ts';
import { type PlainSchema, toPlainSchema } from './plain-schema.ts';

/** Where an argument goes in the operation's input. */
export type ArgumentPlace =
  | { readonly in: 'path'; readonly name: string }
  | { readonly in: 'query'; readonly name: string }
  /** `wrapper` undefined: beside the wrapper. */
  | { readonly in: 'body'; readonly name: string; readonly wrapper: string | undefined }
  | { readonly in: 'key' };

/** An operation as agents see it. */
export interface Tool {
  readonly operation: Operation;
  readonly listed: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: PlainSchema;
    readonly annotations: Readonly<Record<string, unknown>>;
  };
  readonly places: ReadonlyMap<string, ArgumentPlace>;
}

/** @throws when two arguments of one tool would share a name: then one could stand in for the other. */
export function toTool(declaration: Operation): Tool {
  const ownBody = declaration.tool ? declaration.tool.body : undefined;
  const operation = ownBody ? { ...declaration, body: ownBody } : declaration;
  const places = new Map<string, ArgumentPlace>();
  const properties: Record<string, PlainSchema> = {};
  const required: string[] = [];
  const add = (name: string, place: ArgumentPlace, schema: PlainSchema, isRequired = false) => {
    if (places.has(name)) throw new Error(`The tool ${operation.name} has two arguments named ${name}`);
    places.set(name, place);
    properties[name] = schema;
    if (isRequired) required.push(name);
  };

  const declared = operation.tool || {};
  for (const [param, resource] of Object.entries(operation.params)) {
    const name = declared.rename?.[param] ?? param;
    add(name, { in: 'path', name: param }, { type: 'string', description: `${resource}: its id` }, true);
  }
  for (const member of bodyMembers(operation)) {
    const { name, wrapper, schema, isRequired } = member;
    add(declared.rename?.[name] ?? name, { in: 'body', name, wrapper }, toPlainSchema(schema), isRequired);
  }
  if (operation.query.paged) {
    add('page', { in: 'query', name: 'page' }, { type: 'integer', description: 'Page, from 1' });
    add(
      'per_page',
      { in: 'query', name: 'per_page' },
      { type: 'integer', description: 'How many a page, at most 100' },
    );
  }
  for (const filter of filterArguments(operation.query.filters ?? {})) {
    add(filter.name, { in: 'query', name: `q[${filter.field}_${filter.predicate}]` }, filter.schema);
  }
  for (const [name, { description }] of Object.entries(operation.query.plain ?? {})) {
    add(name, { in: 'query', name }, { type: 'string', description });
  }
  if (operation.query.expand) {
    const choices = operation.query.expand.join(', ');
    add('expand', { in: 'query', name: 'expand' }, { type: 'string', description: `Some of: ${choices}` });
  }
  const isWrite = operation.idempotency !== 'none' && operation.method !== 'GET';
  if (isWrite) {
    const description = 'The same key with the same arguments gets the first answer again, for 24 hours';
    add('idempotency_key', { in: 'key' }, { type: 'string', description });
  }
  return {
    operation,
    listed: {
      name: operation.name,
      title: operation.summary,
      description: descriptionOf(operation),
      inputSchema: { type: 'object', properties, ...(required.length > 0 ? { required } : {}) },
      annotations: annotationsOf(operation),
    },
    places,
  };
}

function descriptionOf({ tool, summary, description }: Operation): string {
  const own = tool ? tool.description : undefined;
  return own ?? [`${summary}.`, description].filter(Boolean).join(' ');
}

/** Clients take a tool that says nothing of itself for a destructive one. */
function annotationsOf({ method, summary, idempotency }: Operation) {
  const isReading = method === 'GET' || idempotency === 'none';
  return {
    title: summary,
    readOnlyHint: isReading,
    destructiveHint: method === 'DELETE',
    idempotentHint: isReading || method === 'DELETE' || method === 'PATCH',
    openWorldHint: false,
  };
}

interface BodyMember {
  name: string;
  wrapper: string | undefined;
  schema: unknown;
  isRequired: boolean;
}

/** The members of a body, those of its wrapper (`{"order": {…}}`) lifted out of it. */
function bodyMembers({ body }: Operation): BodyMember[] {
  if (!body) return [];
  const { properties = {}, required = [] } = body as { properties?: Record<string, unknown>; required?: string[] };
  return Object.entries(properties).flatMap(([name, schema]): BodyMember[] => {
    const inner = isObject(schema) && schema.type === 'object' && isObject(schema.properties) ? schema : undefined;
    if (!inner) return [{ name, wrapper: undefined, schema, isRequired: required.includes(name) }];
    const innerRequired = (inner.required as string[] | undefined) ?? [];
    return Object.entries(inner.properties as Record<string, unknown>).map(([member, memberSchema]) => ({
      name: member,
      wrapper: name,
      schema: memberSchema,
      isRequired: required.includes(name) && innerRequired.includes(member),
    }));
  });
}

interface FilterArgument {
  name: string;
  field: string;
  predicate: Predicate;
  schema: PlainSchema;
}

/** Filters under names that models take: no brackets, `created_after` for `q[created_at_gteq]`. */
function filterArguments(fields: FilterFields): FilterArgument[] {
  return Object.entries(fields).flatMap(([field, type]): FilterArgument[] => {
    // A key has one merchant.
    if (field === 'merchant_id') return [];
    if (type.kind === 'timestamp') {
      const base = field.replace(/_at$/, '');
      const schema = (word: string) => ({ type: 'string', description: `ISO 8601, ${word} then` });
      return [
        { name: `${base}_after`, field, predicate: 'gteq', schema: schema('not before') },
        { name: `${base}_before`, field, predicate: 'lteq', schema: schema('not after') },
      ];
    }
    if (type.kind === 'integer') {
      const base = field === 'total_amount_cents' ? 'amount' : field;
      const schema = { type: 'integer' };
      return [
        { name: base === 'amount' ? field : base, field, predicate: 'eq', schema },
        { name: `${base}_min`, field, predicate: 'gteq', schema },
        { name: `${base}_max`, field, predicate: 'lteq', schema },
      ];
    }
    // People look for names by a part of them.
    const predicate = field === 'name' ? 'cont' : 'eq';
    return [{ name: field, field, predicate, schema: schemaOf(type) }];
  });
}

function schemaOf(type: FilterType): PlainSchema {
  switch (type.kind) {
    case 'word':
      return { type: 'string', enum: [...type.words] };
    case 'boolean':
      return { type: 'boolean' };
    case 'number_code':
      return { type: 'integer', description: `One of ${type.codes.join(', ')}` };
    default:
      return { type: 'string' };
  }
}
