import { invalid } from './errors.ts';

export const defaultPerPage = 25;
export const maxPerPage = 100;

/** One page of a list, as asked for: `page` from 1, `perPage` from 1 to 100. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
  /** In place of `page`: what comes behind this row, or the beginning. For walking through everything, uncounted. */
  readonly walk?: { readonly after: { readonly createdAt: string; readonly id: string } | undefined };
}

export interface PageMeta {
  current_page: number;
  per_page: number;
  total_count: number;
  total_pages: number;
  next_page: number | null;
  prev_page: number | null;
}

/** Rows of one page with the number of all rows that matched. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly totalCount: number;
}

/**
 * Reads `page` and `per_page`. Too large a page size is cut to 100.
 * @throws {AppError} `validation_error` for anything below 1 or not a whole number.
 */
export function readPage(query: { page?: unknown; per_page?: unknown }, fallbackPerPage = defaultPerPage): PageRequest {
  const page = wholeNumber(query.page, 'page', 1);
  // A page that cannot be counted exactly could not be printed either.
  if (page > Number.MAX_SAFE_INTEGER) throw invalid(`page must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`);
  return { page, perPage: Math.min(wholeNumber(query.per_page, 'per_page', fallbackPerPage), maxPerPage) };
}

export function pageMeta(request: PageRequest, totalCount: number): PageMeta {
  const totalPages = Math.ceil(totalCount / request.perPage);
  return {
    current_page: request.page,
    per_page: request.perPage,
    total_count: totalCount,
    total_pages: totalPages,
    next_page: request.page < totalPages ? request.page + 1 : null,
    prev_page: request.page > 1 ? request.page - 1 : null,
  };
}

/** Rows before the page, exact: far beyond the end the product passes what a number holds. */
export function pageOffset(request: PageRequest): bigint {
  return BigInt(request.page - 1) * BigInt(request.perPage);
}

function wholeNumber(value: unknown, name: string, fallback: number): number {
  if (value === undefined) return fallback;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^\d+$/.test(text) || Number(text) < 1) {
    throw invalid(`${name} must be a whole number from 1`);
  }
  return Number(text);
}
