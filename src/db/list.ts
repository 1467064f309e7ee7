import type { Filter } from '../kernel/filters.ts';
import { type Page, type PageRequest, pageOffset } from '../kernel/page.ts';
import { dynamicStatement, type Handle } from './database.ts';
import { type FilterColumns, filterConditions } from './where.ts';

interface ListQuery {
  /** `select … from …` up to and without `where`. */
  readonly select: string;
  /** `from …` for counting, when joins of `select` are not needed to count. */
  readonly countFrom: string;
  /** The fixed condition; its values come first. */
  readonly where: string;
  readonly values: readonly unknown[];
  readonly columns: FilterColumns;
  readonly orderBy: string;
}

/**
 * One page and the number of all matches, as two statements side by side: `count(*) over ()` would read every matching
 * row for each page, six times the work.
 */
export async function listPage<Row>(
  db: Handle,
  query: ListQuery,
  filters: readonly Filter[],
  page: PageRequest,
): Promise<Page<Row>> {
  const values = [...query.values];
  const where = `where ${query.where}${filterConditions(filters, query.columns, values)}`;
  if (page.walk) return { rows: await walk<Row>(db, query, where, values, page), totalCount: 0 };
  const paging = `limit ${page.perPage} offset ${pageOffset(page)}`;
  const [rows, count] = await Promise.all([
    db.many<Row>(dynamicStatement(`${query.select} ${where} order by ${query.orderBy} ${paging}`), values),
    db.maybeOne<{ count: number }>(dynamicStatement(`select count(*) as count ${query.countFrom} ${where}`), values),
  ]);
  return { rows, totalCount: count!.count };
}

/** The next rows by key: however far one has come, a step costs the same. Only for lists that are newest first. */
function walk<Row>(db: Handle, query: ListQuery, where: string, values: unknown[], page: PageRequest): Promise<Row[]> {
  const [created, id] = query.orderBy.split(', ').map((column) => column.replace(/ desc$/, ''));
  const after = page.walk?.after;
  const behind = after
    ? ` and (${created}, ${id}) < ($${values.push(after.createdAt)}::timestamptz, $${values.push(after.id)}::uuid)`
    : '';
  const text = `${query.select} ${where}${behind} order by ${query.orderBy} limit ${page.perPage}`;
  return db.many<Row>(dynamicStatement(text), values);
}
