import { parseCurrency } from './currency.ts';
import { invalid } from './errors.ts';
import { isUuid } from './ids.ts';
import { parseTimestamp } from './timestamp.ts';

/**
 * `q[field_predicate]=value` filters. A list declares its fields once; from that come the accepted parameters, their
 * documentation, the MCP argument names and the bound `where` clause. Whatever is not declared is refused by name:
 * a client that reads "all payments" as "the payments of this order" would ship goods.
 */
export type FilterType =
  | { readonly kind: 'text' | 'integer' | 'timestamp' | 'uuid' | 'boolean' | 'currency' }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  /** Numbers that stand for something, by what they mean. */
  | { readonly kind: 'number_code'; readonly codes: Readonly<Record<string, number>> };

export type FilterFields = Readonly<Record<string, FilterType>>;

const equality = ['eq', 'not_eq', 'in'] as const;
const ordered = [...equality, 'gt', 'gteq', 'lt', 'lteq'] as const;
const predicatesOf: Record<FilterType['kind'], readonly Predicate[]> = {
  text: [...equality, 'cont'],
  integer: ordered,
  timestamp: ordered,
  uuid: equality,
  boolean: ['eq', 'not_eq'],
  currency: equality,
  word: equality,
  number_code: equality,
};

export type Predicate = 'eq' | 'not_eq' | 'gt' | 'gteq' | 'lt' | 'lteq' | 'in' | 'cont';
export type FilterValue = string | number | boolean | Date;

export interface Filter {
  readonly field: string;
  readonly predicate: Predicate;
  readonly values: readonly FilterValue[];
}

export const text: FilterType = { kind: 'text' };
export const integer: FilterType = { kind: 'integer' };
export const timestamp: FilterType = { kind: 'timestamp' };
export const uuid: FilterType = { kind: 'uuid' };
export const boolean: FilterType = { kind: 'boolean' };
/** Codes in any case, as everywhere; columns hold them in lower case. */
export const currency: FilterType = { kind: 'currency' };
export const word = (...words: string[]): FilterType => ({ kind: 'word', words });
export const numberCode = (codes: Readonly<Record<string, number>>): FilterType => ({ kind: 'number_code', codes });

/** `0 lightning, 1 cash`: numbers with what they mean. */
export function listCodes(codes: Readonly<Record<string, number>>): string {
  return Object.entries(codes)
    .map(([meaning, code]) => `${code} ${meaning}`)
    .join(', ');
}

/** Every parameter a list accepts, as `field_predicate`, for documentation. */
export function filterNames(fields: FilterFields): { name: string; type: FilterType; predicate: Predicate }[] {
  return Object.entries(fields).flatMap(([field, type]) =>
    predicatesOf[type.kind].map((predicate) => ({ name: `${field}_${predicate}`, type, predicate })),
  );
}

/** Also in capitals, with blanks, with brackets that were percent-encoded twice, or as others write it: `created_at[gte]`. */
const looksLikeFilter = /^\s*q\s*(?:$|[.%])|\[/i;

/** @throws {AppError} `validation_error` naming each parameter that is unknown, repeated or malformed. */
export function readFilters(fields: FilterFields, query: Readonly<Record<string, unknown>>): Filter[] {
  const filters: Filter[] = [];
  const faults: string[] = [];
  for (const [key, value] of Object.entries(query)) {
    const inner = /^q\[(.*)\]$/s.exec(key)?.[1];
    if (inner === undefined) {
      if (looksLikeFilter.test(key)) faults.push(unknownFilter(fields, key));
      else if (namesField(fields, key))
        faults.push(`${key} is not a parameter; write q[${withPredicate(fields, key)}]`);
      continue;
    }
    const match = findFilter(fields, inner);
    if (!match) faults.push(unknownFilter(fields, key, inner));
    else if (typeof value !== 'string') faults.push(`q[${inner}] is given more than once`);
    else {
      const values = readValues(match.type, match.predicate, value);
      if (typeof values === 'string') faults.push(`q[${inner}] ${values}`);
      else filters.push({ field: match.field, predicate: match.predicate, values });
    }
  }
  if (faults.length > 0) throw invalid(...faults);
  return filters;
}

/** Says what there is instead: of the field that was meant, or which fields there are. */
function unknownFilter(fields: FilterFields, key: string, inner = ''): string {
  const names = Object.keys(fields);
  const [meant] = names.filter((name) => `${inner}_`.startsWith(`${name}_`)).sort((a, b) => b.length - a.length);
  const instead = meant
    ? `write ${predicatesOf[fields[meant]!.kind].map((predicate) => `q[${meant}_${predicate}]`).join(', ')}`
    : `this list filters by ${names.join(', ') || 'nothing'}`;
  return `${key} is not a known filter; ${instead}`;
}

function findFilter(fields: FilterFields, name: string) {
  for (const [field, type] of Object.entries(fields)) {
    if (!name.startsWith(`${field}_`)) continue;
    const predicate = name.slice(field.length + 1) as Predicate;
    if (predicatesOf[type.kind].includes(predicate)) return { field, type, predicate };
  }
  return undefined;
}

// `?status=paid` would otherwise be ignored and answer with every order.
function namesField(fields: FilterFields, key: string): boolean {
  return Object.hasOwn(fields, key) || findFilter(fields, key) !== undefined;
}

function withPredicate(fields: FilterFields, key: string): string {
  return Object.hasOwn(fields, key) ? `${key}_eq` : key;
}

function readValues(type: FilterType, predicate: Predicate, raw: string): FilterValue[] | string {
  const parts = predicate === 'in' ? raw.split(',') : [raw];
  const values: FilterValue[] = [];
  for (const part of parts) {
    const value = readValue(type, part);
    if (value === undefined) return fault(type);
    values.push(value);
  }
  return values;
}

function readValue(type: FilterType, raw: string): FilterValue | undefined {
  switch (type.kind) {
    case 'text':
      return raw.includes('\u0000') || !raw.isWellFormed() ? undefined : raw;
    case 'integer':
      return /^-?\d{1,16}$/.test(raw) && Number.isSafeInteger(Number(raw)) ? Number(raw) : undefined;
    case 'timestamp':
      return parseTimestamp(raw);
    case 'uuid':
      return isUuid(raw) ? raw.toLowerCase() : undefined;
    case 'boolean':
      return raw === 'true' ? true : raw === 'false' ? false : undefined;
    case 'currency':
      return parseCurrency(raw);
    case 'word':
      return type.words.includes(raw) ? raw : undefined;
    case 'number_code':
      return /^\d{1,3}$/.test(raw) && Object.values(type.codes).includes(Number(raw)) ? Number(raw) : undefined;
  }
}

function fault(type: FilterType): string {
  switch (type.kind) {
    case 'text':
      return 'must be text without NUL characters';
    case 'integer':
      return `must be a whole number up to ${Number.MAX_SAFE_INTEGER}`;
    case 'timestamp':
      return 'must be an ISO 8601 time with Z or an offset, or a date';
    case 'uuid':
      return 'must be a UUID';
    case 'boolean':
      return 'must be true or false';
    case 'currency':
      return 'must be an ISO 4217 currency code';
    case 'word':
      return `must be one of ${type.words.join(', ')}`;
    case 'number_code':
      return `must be one of ${listCodes(type.codes)}`;
  }
}
