import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TSchema } from 'typebox';
import { parseCurrency } from '../kernel/currency.ts';
import { isEmailAddress } from '../kernel/email.ts';
import { AppError, invalid } from '../kernel/errors.ts';
import { findTextFault } from '../kernel/text.ts';
import { metadataFault } from '../model/metadata.ts';

/**
 * Strict reading of JSON bodies: no coercion (null, "500", 10.5 and true are not 500), undeclared members dropped,
 * one sentence per fault that names the member without its wrapper.
 */
function createReader(allErrors: boolean): Ajv {
  const ajv = new Ajv({
    allErrors,
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
  return ajv;
}

interface DataPlace {
  parentData: Record<string | number, unknown>;
  parentDataProperty: string | number;
}

const firstFault = compileOnce(createReader(false));
const allFaults = compileOnce(createReader(true));
/** A body with more values gets its first fault only: a megabyte of wrong entries must not become a list of them. */
const mostValues = 10_000;
const mostDetails = 50;

function compileOnce(ajv: Ajv): (schema: TSchema) => ValidateFunction {
  const compiled = new WeakMap<TSchema, ValidateFunction>();
  return (schema) => {
    const known = compiled.get(schema);
    if (known) return known;
    const validate = ajv.compile(schema);
    compiled.set(schema, validate);
    return validate;
  };
}

/**
 * Checks `body` against `schema` and returns it without undeclared members; the argument itself stays as it was.
 * @throws {AppError} `validation_error`, or `bad_request` where the operation declares that code.
 */
export function readBody(schema: TSchema, body: unknown, code: 'validation_error' | 'bad_request'): unknown {
  const wrapper = wrapperOf(schema);
  const textFault = findTextFault(body);
  if (textFault) throw refuse(code, [`${memberPath(textFault.path, wrapper)} ${textFault.predicate}`]);
  const copy = copyJson(body);
  const read = firstFault(schema);
  if (read(copy)) return copy;
  throw refuse(code, faultsOf(schema, body, read.errors ?? [], wrapper));
}

function refuse(code: 'validation_error' | 'bad_request', details: string[]): AppError {
  if (code === 'bad_request') return new AppError('bad_request', details[0] ?? 'The body is not valid', { details });
  return invalid(...details);
}

/** Several times quicker than `structuredClone()`, which takes what JSON never holds. */
function copyJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson);
  const copy: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (key !== '__proto__') copy[key] = copyJson(member);
    // Set like others it would become what the copy inherits from.
    else
      Object.defineProperty(copy, key, {
        value: copyJson(member),
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return copy;
}

function faultsOf(schema: TSchema, body: unknown, first: ErrorObject[], wrapper: string | undefined): string[] {
  let errors = first;
  if (countValues(body, mostValues) < mostValues) {
    const validate = allFaults(schema);
    validate(copyJson(body));
    errors = validate.errors ?? first;
  }
  const details = [...new Set(errors.flatMap((error) => sentence(error, wrapper)))];
  if (details.length <= mostDetails) return details;
  return [...details.slice(0, mostDetails), `and ${details.length - mostDetails} more faults`];
}

/** Members and entries at all levels, counted up to `limit`. */
function countValues(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  let count = members.length;
  for (const member of members) {
    if (count >= limit) return limit;
    count += countValues(member, limit - count);
  }
  return count;
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
  const parts = pointerParts(error.instancePath);
  if (keyword === 'required') return [`${memberPath([...parts, params.missingProperty], wrapper)} is required`];
  return [`${memberPath(parts, wrapper)} ${predicate(error)}`];
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

// JSON Pointer, RFC 6901.
function pointerParts(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const longestPart = 60;

// order, items, 0, qty with the wrapper "order" reads "items[0].qty".
function memberPath(parts: readonly string[], wrapper: string | undefined): string {
  const inner = wrapper !== undefined && parts[0] === wrapper && parts.length > 1 ? parts.slice(1) : parts;
  if (inner.length === 0) return 'the body';
  return inner
    .map((part) => (part.length > longestPart ? `${part.slice(0, longestPart).toWellFormed()}…` : part))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path ? `${path}.${part}` : part), '');
}
