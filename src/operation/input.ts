import { createHash } from 'node:crypto';
import { AppError, invalid, notFound } from '../kernel/errors.ts';
import { type FilterFields, readFilters } from '../kernel/filters.ts';
import { isSlug, isUuid } from '../kernel/ids.ts';
import { readPage } from '../kernel/page.ts';
import { findTextFault } from '../kernel/text.ts';
import { readBody } from './body.ts';
import type { Operation, OperationInput, QueryDeclaration } from './operation.ts';

/** What a door hands over, untouched. */
export interface RawInput {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly idempotencyKey?: string | undefined;
  readonly lastEventId?: string | undefined;
  /** `If-None-Match`: the entity tags of answers that the caller still has. */
  readonly ifNoneMatch?: string | undefined;
  /** Whether the caller would rather have CSV than JSON. */
  readonly wantsCsv?: boolean;
  /** `X-Access-Token`, where a paid-access token may come instead of in the body. */
  readonly accessToken?: string | undefined;
  /** Whether it came with an `Origin`, as browsers send with every POST (Fetch standard). */
  readonly fromBrowser?: boolean;
}

const noFilters: FilterFields = {};
const firstPage = readPage({});
const nothing: ReadonlySet<string> = new Set();

/** @throws {AppError} 404 for an id that has not the shape of one, 422 (or 400 where declared) for anything else that is wrong. */
export function readInput(operation: Operation, raw: RawInput): OperationInput {
  const params: Record<string, string> = {};
  for (const name in operation.params) {
    const resource = operation.params[name]!;
    const value = raw.params[name] ?? '';
    if (operation.textParams.includes(name)) {
      if (findTextFault(value)) throw notFound(resource);
      params[name] = value;
      continue;
    }
    if (isUuid(value)) params[name] = value.toLowerCase();
    else if (operation.slugParams.includes(name) && isSlug(value)) params[name] = value;
    else throw notFound(resource);
  }
  const { paged, filters, expand } = operation.query;
  return {
    params,
    body: operation.body ? readBody(operation.body, raw.body, bodyFaultCode(operation)) : undefined,
    expand: expand ? readExpand(expand, raw.query) : nothing,
    page: paged ? readPage(raw.query, operation.query.perPage) : firstPage,
    filters: paged || filters ? readFilters(filters ?? noFilters, withoutPlain(operation, raw.query)) : [],
    plain: operation.query.plain ? readPlain(operation.query.plain, raw.query) : {},
    lastEventId: raw.lastEventId,
    accessToken: raw.accessToken,
    fromBrowser: raw.fromBrowser === true,
  };
}

// The interface names the few operations where a faulty body is 400; they declare `bad_request`.
function bodyFaultCode(operation: Operation) {
  return operation.fails.includes('bad_request') ? 'bad_request' : 'validation_error';
}

// Where a list takes a plain `q`, that is a search and no filter.
function withoutPlain({ query }: Operation, given: Readonly<Record<string, unknown>>) {
  const plain = query.plain ?? {};
  return Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(plain, name)));
}

function readPlain(
  declared: NonNullable<QueryDeclaration['plain']>,
  query: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, { words }] of Object.entries(declared)) {
    const value = query[name];
    // A form sends an empty member where none of the words was chosen.
    if (value === undefined || (value === '' && words)) continue;
    if (typeof value !== 'string') throw invalid(`${name} is given more than once`);
    if (words && !words.includes(value)) throw invalid(`${name} must be one of ${words.join(', ')}`);
    if (findTextFault(value)) throw invalid(`${name} has a NUL or a broken character`);
    given[name] = value;
  }
  return given;
}

function readExpand(allowed: readonly string[], query: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const { expand: value, 'expand[]': asList } = query;
  // As other APIs write it.
  if (asList !== undefined) throw invalid(`expand[] is not a parameter; write expand=${allowed.slice(0, 2).join(',')}`);
  if (value === undefined || value === '') return nothing;
  if (typeof value !== 'string') throw invalid('expand is given more than once');
  const names = value.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !allowed.includes(name));
  if (unknown.length > 0)
    throw invalid(`expand must be some of ${allowed.join(', ')}; ${unknown.join(', ')} is unknown`);
  return new Set(names);
}

const maxKeyLength = 255;

/** @throws {AppError} when the key is empty, too long or not printable ASCII. */
export function readIdempotencyKey(key: string | undefined): string | undefined {
  if (key === undefined) return undefined;
  if (key.length < 1 || key.length > maxKeyLength || !/^[\x20-\x7e]+$/.test(key)) {
    throw new AppError('validation_error', 'Validation failed', {
      details: [`Idempotency-Key must have 1 to ${maxKeyLength} printable ASCII characters`],
    });
  }
  return key;
}

/** SHA-256 over operation and parsed input, so that REST and MCP agree whatever order the members came in. */
export function inputHash(operation: Operation, input: OperationInput): string {
  const parts = {
    operation: operation.name,
    params: input.params,
    body: input.body ?? {},
    expand: [...input.expand].sort(),
  };
  return createHash('sha256')
    .update(JSON.stringify(sorted(parts)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}
