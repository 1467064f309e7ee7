import { type TSchema, Type } from 'typebox';
import { inputObject } from '../../model/fields.ts';
import type { Operation, ToolDeclaration } from '../../operation/operation.ts';
import { type PlainSchema, toPlainSchema } from './plain-schema.ts';
import { queryArguments } from './tool-query.ts';

/** Where an argument goes in the operation's input. */
type ArgumentPlace =
  | { readonly in: 'path'; readonly name: string }
  | { readonly in: 'query'; readonly name: string; readonly takesList?: true | undefined }
  /** `wrapper` undefined: beside the wrapper. */
  | { readonly in: 'body'; readonly name: string; readonly wrapper: string | undefined }
  | { readonly in: 'key' }
  /** Known to the tool alone, which turns it into others. */
  | { readonly in: 'tool' };

interface Argument {
  readonly place: ArgumentPlace;
  readonly schema: TSchema;
  readonly isRequired: boolean;
}

/** An operation as agents see it. */
export interface Tool {
  readonly name: string;
  readonly operation: Operation;
  readonly adapt: ToolDeclaration['adapt'];
  readonly arguments: ReadonlyMap<string, Argument>;
  /** The members that the body's arguments go into, such as `order`. */
  readonly wrappers: readonly string[];
  /** What the arguments beside the body must be; undefined when there are none. */
  readonly besideBody: TSchema | undefined;
  /** What `tools/list` says of it. */
  readonly listed: ListedTool;
}

export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: PlainSchema;
  readonly annotations: Readonly<Record<string, unknown>>;
}

/** @throws {Error} at start, when two arguments of one tool would share a name: then one could stand in for the other. */
export function toTool(declared: Operation): Tool {
  const declaration = declared.tool || {};
  const operation = declaration.body ? { ...declared, body: declaration.body } : declared;
  const found = collectArguments(operation, declaration);
  return {
    name: operation.name,
    operation,
    adapt: declaration.adapt,
    arguments: found,
    wrappers: wrappersOf(found),
    besideBody: besideBody(found),
    listed: {
      name: operation.name,
      title: operation.summary,
      description: declaration.description ?? `${operation.summary}.`,
      inputSchema: inputSchema(found),
      annotations: annotationsOf(operation, declaration),
    },
  };
}

function inputSchema(found: ReadonlyMap<string, Argument>): PlainSchema {
  const properties = Object.fromEntries([...found].map(([name, { schema }]) => [name, toPlainSchema(schema)]));
  const required = [...found].filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

function wrappersOf(found: ReadonlyMap<string, Argument>): string[] {
  const wrappers = [...found.values()].map(({ place }) => (place.in === 'body' ? place.wrapper : undefined));
  return [...new Set(wrappers)].filter((wrapper) => wrapper !== undefined);
}

function besideBody(found: ReadonlyMap<string, Argument>): TSchema | undefined {
  const beside = [...found].filter(([, { place }]) => place.in !== 'body');
  if (beside.length === 0) return undefined;
  return inputObject(
    Object.fromEntries(
      beside.map(([name, { schema, isRequired }]) => [name, isRequired ? schema : Type.Optional(schema)]),
    ),
  );
}

const keySchema = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Makes a repeated call safe: the same key and arguments get the first answer again, for 24 hours',
});

function collectArguments(operation: Operation, declaration: ToolDeclaration): Map<string, Argument> {
  const { rename = {}, extra = {}, optional = [], required = [] } = declaration;
  const found = new Map<string, Argument>();
  const add = (member: string, place: ArgumentPlace, schema: TSchema, isRequired = false) => {
    const name = rename[member] ?? member;
    if (found.has(name)) throw new Error(`The tool ${operation.name} has two arguments named ${name}`);
    const isNeeded = required.includes(name) || (isRequired && !optional.includes(name));
    found.set(name, { place, schema, isRequired: isNeeded });
  };

  for (const [name, resource] of Object.entries(operation.params)) {
    const or = operation.slugParams.includes(name) ? ' or slug' : '';
    add(name, { in: 'path', name }, Type.String({ description: `${resource}: its id (a UUID)${or}` }), true);
  }
  for (const { name, wrapper, schema, isRequired } of bodyMembers(operation)) {
    add(name, { in: 'body', name, wrapper }, schema, isRequired);
  }
  for (const [name, schema] of Object.entries(extra)) add(name, { in: 'tool' }, schema);
  for (const [name, { parameter, schema, takesList }] of Object.entries(queryArguments(operation.query))) {
    add(name, { in: 'query', name: parameter, takesList }, schema);
  }
  if (operation.idempotency !== 'none') add('idempotency_key', { in: 'key' }, keySchema);
  return found;
}

type ObjectSchema = TSchema & { properties?: Record<string, TSchema>; required?: readonly string[] };

interface BodyMember {
  name: string;
  wrapper: string | undefined;
  schema: TSchema;
  isRequired: boolean;
}

/** The members of a body, those of its wrapper (`{"order": {…}}`) lifted out of it. */
function bodyMembers({ body }: Operation): BodyMember[] {
  const { properties = {}, required = [] } = (body ?? {}) as ObjectSchema;
  return Object.entries(properties).flatMap(([name, schema]): BodyMember[] => {
    const isRequired = required.includes(name);
    const inner = schema as ObjectSchema;
    if (!inner.properties) return [{ name, wrapper: undefined, schema, isRequired }];
    return Object.entries(inner.properties).map(([member, memberSchema]) => ({
      name: member,
      wrapper: name,
      schema: memberSchema,
      isRequired: isRequired && (inner.required ?? []).includes(member),
    }));
  });
}

/**
 * Clients take a tool that says nothing of itself for a destructive one. By the protocol a tool that is not destructive only
 * adds: what changes or ends something that is there says so.
 */
function annotationsOf({ method, summary, idempotency }: Operation, { destructive }: ToolDeclaration) {
  const isReading = idempotency === 'none';
  const replaces = method === 'PATCH' || method === 'DELETE';
  return {
    title: summary,
    readOnlyHint: isReading,
    destructiveHint: !isReading && (destructive ?? replaces),
    idempotentHint: isReading || replaces,
    openWorldHint: false,
  };
}
