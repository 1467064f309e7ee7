import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { parseCurrency } from '../kernel/currency.ts';
import { isEmailAddress } from '../kernel/email.ts';
import { AppError, invalid } from '../kernel/errors.ts';
import { findTextFault } from '../kernel/text.ts';
import { metadataFault } from '../model/metadata.ts';

/**
 * Strict reading of JSON bodies: no coercion (null, "500", 10.5 and true are not 500), undeclared members dropped,
 * one sentence per fault that names the member without its wrapper (decisions, section 1).
 */
const ajv = new Ajv({
  allErrors: true,
  removeAdditional: true,
  strict: false,
  verbose: true,
  formats: {
    email: isEmailAddress,
    currency: (text: string) => parseCurrency(text) !== undefined,
    uuid: true,
    'date-time': true,
  },
});

interface DataPlace {
  parentData: Record<string | number, unknown>;
  parentDataProperty: string | number;
}

ajv.addKeyword({
  keyword: 'x-trim',
  type: 'string',
  modifying: true,
  before: 'maxLength',
  validate: (_on: unknown, text: string, _schema: unknown, place?: DataPlace) => {
    if (place) place.parentData[place.parentDataProperty] = text.trim();
    return true;
  },
});

ajv.addKeyword({
  keyword: 'x-metadata',
  type: 'object',
  errors: true,
  validate: function check(_on: unknown, data: object) {
    const fault = metadataFault(data);
    (check as { errors?: unknown[] }).errors = fault ? [{ keyword: 'x-metadata', message: fault }] : [];
    return !fault;
  },
});

const compiled = new WeakMap<TSchema, ValidateFunction>();

/**
 * Checks `body` against `schema` and returns it without undeclared members; the argument itself stays as it was.
 * @throws {AppError} `validation_error`, or `bad_request` where the operation declares that code.
 */
export function readBody(schema: TSchema, body: unknown, code: 'validation_error' | 'bad_request'): unknown {
  let validate = compiled.get(schema);
  if (!validate) {
    validate = ajv.compile(schema);
    compiled.set(schema, validate);
  }
  const textFault = findTextFault(body);
  if (textFault) throw invalid(textFault);
  const copy = structuredClone(body);
  if (validate(copy)) return copy;
  const wrapper = wrapperOf(schema);
  const details = [...new Set((validate.errors ?? []).flatMap((error) => sentence(error, wrapper)))];
  if (code === 'bad_request') throw new AppError('bad_request', details[0] ?? 'The body is not valid', { details });
  throw invalid(...details);
}

function wrapperOf(schema: TSchema): string | undefined {
  const properties = Object.entries((schema as { properties?: Record<string, { type?: unknown }> }).properties ?? {});
  const objects = properties.filter(([, member]) => member.type === 'object');
  return objects.length === 1 ? objects[0]![0] : undefined;
}

function sentence(error: ErrorObject, wrapper: string | undefined): string[] {
  const { keyword, params } = error;
  // Unions of a shape and null report each branch; the branch that speaks of the shape says enough.
  if (keyword === 'anyOf') return [];
  if (keyword === 'type' && params.type === 'null') return [];
  const path = memberPath(error.instancePath, wrapper);
  if (keyword === 'required')
    return [`${memberPath(`${error.instancePath}/${params.missingProperty}`, wrapper)} is required`];
  return [`${path} ${predicate(error)}`];
}

function predicate({ keyword, params, schema, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${typeName([params.type].flat() as string[])}`;
    case 'enum':
      return `must be one of ${(schema as unknown[]).filter((word) => word !== null).join(', ')}`;
    case 'format':
      return params.format === 'email' ? 'must be an e-mail address' : `must be a known ${params.format} code`;
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} entries`;
    case 'maxItems':
      return `must have at most ${params.limit} entries`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    default:
      return message ?? 'is not valid';
  }
}

function typeName(types: string[]): string {
  const names: Record<string, string> = {
    integer: 'a whole number',
    number: 'a number',
    string: 'text',
    boolean: 'true or false',
    object: 'an object',
    array: 'a list',
  };
  return types
    .filter((type) => type !== 'null')
    .map((type) => names[type] ?? type)
    .join(' or ');
}

// "/order/items/0/qty" with wrapper "order" reads "items[0].qty".
function memberPath(pointer: string, wrapper: string | undefined): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (wrapper !== undefined && parts[0] === wrapper && parts.length > 1) parts.shift();
  if (parts.length === 0) return 'the body';
  return parts.reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '');
}
