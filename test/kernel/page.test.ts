import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/kernel/errors.ts';
import { pageMeta, pageOffset, readPage } from '../../src/kernel/page.ts';

describe('reading page and per_page', () => {
  test('has defaults', () => {
    expect(readPage({})).toEqual({ page: 1, perPage: 25 });
    expect(readPage({}, 24)).toEqual({ page: 1, perPage: 24 });
  });

  test.each([
    [
      { page: '3', per_page: '10' },
      { page: 3, perPage: 10 },
    ],
    [
      { page: 3, per_page: 10 },
      { page: 3, perPage: 10 },
    ],
    [{ per_page: '100' }, { page: 1, perPage: 100 }],
    [{ per_page: '101' }, { page: 1, perPage: 100 }],
    [{ per_page: '9'.repeat(500) }, { page: 1, perPage: 100 }],
    [{ page: '0001' }, { page: 1, perPage: 25 }],
    [{ page: '9007199254740991' }, { page: 9007199254740991, perPage: 25 }],
  ])('%j', (query, request) => {
    expect(readPage(query)).toEqual(request);
  });

  test.each(['0', '-1', '1.5', '1e2', 'ten', '', ' 1', '+1', '0x1', '١', null, true, 0, 1.5, ['1'], {}])(
    'refuses %j for either',
    (value) => {
      for (const name of ['page', 'per_page']) {
        const attempt = () => readPage({ [name]: value });
        expect(attempt).toThrow(AppError);
        expect(attempt).toThrow(expect.objectContaining({ details: [`${name} must be a whole number from 1`] }));
      }
    },
  );

  test('refuses a page that could not be printed exactly', () => {
    expect(() => readPage({ page: '9007199254740992' })).toThrow(AppError);
  });
});

describe('properties', () => {
  const request = fc.record({ page: fc.integer({ min: 1, max: 200 }), perPage: fc.integer({ min: 1, max: 100 }) });

  test('walking from the first page by next_page sees each row once, and ends', () => {
    fc.assert(
      fc.property(fc.nat({ max: 500 }), fc.integer({ min: 1, max: 100 }), (totalCount, perPage) => {
        const rows = Array.from({ length: totalCount }, (_, row) => row);
        const seen: number[] = [];
        let page: number | null = 1;
        let pages = 0;
        while (page !== null) {
          const offset = Number(pageOffset({ page, perPage }));
          seen.push(...rows.slice(offset, offset + perPage));
          const meta = pageMeta({ page, perPage }, totalCount);
          expect(meta.prev_page).toBe(page === 1 ? null : page - 1);
          pages++;
          page = meta.next_page;
        }
        expect(seen).toEqual(rows);
        expect(pages).toBe(Math.max(1, pageMeta({ page: 1, perPage }, totalCount).total_pages));
      }),
    );
  });

  test('meta tells the truth on every page, the ones past the end as well', () => {
    fc.assert(
      fc.property(request, fc.nat({ max: 10_000 }), ({ page, perPage }, totalCount) => {
        const meta = pageMeta({ page, perPage }, totalCount);
        expect(meta).toMatchObject({ current_page: page, per_page: perPage, total_count: totalCount });
        expect(meta.total_pages * perPage).toBeGreaterThanOrEqual(totalCount);
        expect((meta.total_pages - 1) * perPage).toBeLessThan(Math.max(1, totalCount));
        expect(meta.next_page).toBe(page < meta.total_pages ? page + 1 : null);
      }),
    );
    expect(pageMeta({ page: 1, perPage: 25 }, 0).total_pages).toBe(0);
  });

  test('the offset is exact and within what PostgreSQL takes', () => {
    const offset = pageOffset({ page: Number.MAX_SAFE_INTEGER, perPage: 100 });
    expect(offset).toBe(900719925474099000n);
    expect(offset).toBeLessThan(2n ** 63n);
  });
});
