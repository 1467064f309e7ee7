import { type TSchema, Type } from 'typebox';
import { type FilterFields, type FilterType, listCodes, type Predicate } from '../../kernel/filters.ts';
import { defaultPerPage, maxPerPage } from '../../kernel/page.ts';
import { oneOf } from '../../model/fields.ts';
import type { QueryDeclaration } from '../../operation/operation.ts';

/** A tool's argument that goes into the query: what it is called there, and what it may be. */
interface QueryArgument {
  readonly parameter: string;
  readonly schema: TSchema;
  /** Whether a list of words is as good as the words with commas between them. */
  readonly takesList?: true;
}

/** Fields with another plain name for their ranges: what lies between two totals lies between two amounts. */
const rangeNames: Readonly<Record<string, string>> = { total_amount_cents: 'amount' };
/** Texts that are looked for anywhere inside; all others must be the same. */
const searched: ReadonlySet<string> = new Set(['name', 'url']);

/**
 * A list's parameters under names that models take: `status` for `q[status_eq]`, `created_after` for `q[created_at_gteq]`,
 * `amount_min` for `q[total_amount_cents_gteq]`.
 */
export function queryArguments({
  plain = {},
  filters = {},
  expand,
  paged,
  perPage = defaultPerPage,
}: QueryDeclaration) {
  const found: Record<string, QueryArgument> = {};
  for (const [name, { description, words }] of Object.entries(plain)) {
    found[name] = { parameter: name, schema: words ? oneOf(words, description) : Type.String({ description }) };
  }
  for (const { name, field, predicate, schema } of filterArguments(filters)) {
    found[name] = { parameter: `q[${field}_${predicate}]`, schema };
  }
  if (expand) {
    const description = `What to show whole, separated by commas: ${expand.join(', ')}`;
    found.expand = { parameter: 'expand', schema: Type.String({ description }), takesList: true };
  }
  if (paged) {
    const size = `Entries a page: at most ${maxPerPage}, ${perPage} unless you say otherwise`;
    found.page = { parameter: 'page', schema: Type.Integer({ minimum: 1, description: 'Page, from 1' }) };
    found.per_page = { parameter: 'per_page', schema: Type.Integer({ minimum: 1, description: size }) };
  }
  return found;
}

interface FilterArgument {
  name: string;
  field: string;
  predicate: Predicate;
  schema: TSchema;
}

function filterArguments(fields: FilterFields): FilterArgument[] {
  return Object.entries(fields).flatMap(([field, type]): FilterArgument[] => {
    // A key has one merchant.
    if (field === 'merchant_id') return [];
    const argument = (name: string, predicate: Predicate, description: string): FilterArgument => ({
      name,
      field,
      predicate,
      schema: valueSchema(type, description),
    });
    if (type.kind === 'timestamp') {
      const stem = field.replace(/_at$/, '');
      const form = 'an ISO 8601 time with Z or an offset, or a date (midnight UTC)';
      return [
        argument(`${stem}_after`, 'gteq', `Only what was ${stem} at or after this: ${form}`),
        argument(`${stem}_before`, 'lteq', `Only what was ${stem} at or before this: ${form}`),
      ];
    }
    if (type.kind === 'integer') {
      const unit = field.endsWith('_cents') ? ', in minor units' : '';
      const stem = rangeNames[field] ?? field;
      return [
        argument(field, 'eq', `Only where ${field} is this${unit}`),
        argument(`${stem}_min`, 'gteq', `Only where ${field} is this or more${unit}`),
        argument(`${stem}_max`, 'lteq', `Only where ${field} is this or less${unit}`),
      ];
    }
    if (searched.has(field)) return [argument(field, 'cont', `Only where ${field} holds this text`)];
    return [argument(field, 'eq', `Only where ${field} is this`)];
  });
}

// Times, ids and currency codes are text here: what is wrong with one is said by the filter itself.
function valueSchema(type: FilterType, description: string): TSchema {
  switch (type.kind) {
    case 'integer':
      return Type.Integer({ description });
    case 'number_code':
      return Type.Integer({ description: `${description}: ${listCodes(type.codes)}` });
    case 'boolean':
      return Type.Boolean({ description });
    case 'word':
      return oneOf(type.words, description);
    default:
      return Type.String({ description });
  }
}
