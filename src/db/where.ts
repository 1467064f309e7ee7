import type { Filter, FilterValue, Predicate } from '../kernel/filters.ts';

const operators: Record<Exclude<Predicate, 'in' | 'cont'>, string> = {
  eq: '=',
  not_eq: 'is distinct from',
  gt: '>',
  gteq: '>=',
  lt: '<',
  lteq: '<=',
};

/** Columns, or SQL conditions that take the bound value, by filter field. */
export type FilterColumns = Readonly<Record<string, string | FilterCondition>>;
type FilterCondition = (
  predicate: Predicate,
  bind: (value: FilterValue) => string,
  values: readonly FilterValue[],
) => string;

/**
 * Turns parsed filters into `and …` conditions with bound values. `values` grows; nothing a caller sent becomes SQL text.
 */
export function filterConditions(filters: readonly Filter[], columns: FilterColumns, values: unknown[]): string {
  const bind = (value: FilterValue) => `$${values.push(value)}`;
  return filters
    .map((filter) => {
      const column = columns[filter.field];
      if (column === undefined) throw new Error(`The list declares ${filter.field} but its store has no column for it`);
      const condition =
        typeof column === 'function'
          ? column(filter.predicate, bind, filter.values)
          : compare(column, filter.predicate, bind, filter.values);
      return ` and ${condition}`;
    })
    .join('');
}

function compare(
  column: string,
  predicate: Predicate,
  bind: (value: FilterValue) => string,
  values: readonly FilterValue[],
): string {
  if (predicate === 'in') return `${column} in (${values.map(bind).join(', ')})`;
  // strpos takes the text as it is: % and _ mean nothing special.
  if (predicate === 'cont') return `strpos(lower(${column}), lower(${bind(values[0]!)})) > 0`;
  return `${column} ${operators[predicate]} ${bind(values[0]!)}`;
}
