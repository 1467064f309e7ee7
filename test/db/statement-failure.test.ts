import { expect, test } from 'vitest';
import { statementFailure } from '../../src/db/unavailable.ts';
import { DatabaseUnavailable } from '../../src/kernel/database-errors.ts';

const failure = (code: string | undefined) => statementFailure(Object.assign(new Error('write'), { code }));

test('a connection that broke is told from what the server says of a statement', () => {
  for (const code of [undefined, 'EPIPE', 'ECONNRESET', 'ETIMEDOUT', '08006', '53300', '57P01']) {
    expect([code, failure(code)]).toEqual([code, expect.any(DatabaseUnavailable)]);
  }
  for (const code of ['23505', '40P01', 'XX000', 'P0001']) {
    expect(failure(code)).not.toBeInstanceOf(DatabaseUnavailable);
  }
});
