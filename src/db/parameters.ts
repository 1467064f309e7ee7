import pg from 'pg';

const types = pg.types;
const int8 = 20;

/**
 * How values come back, alike on both engines: bigint as a number that is checked to be exact, timestamps as Date,
 * numeric as text, json parsed.
 */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === int8) return exactNumber;
    return format === 'binary' ? types.getTypeParser(oid, 'binary') : types.getTypeParser(oid, 'text');
  }) as pg.CustomTypesConfig['getTypeParser'],
};

function exactNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`The database holds ${text}, which is beyond 2^53-1`);
  return value;
}
