import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../src/kernel/errors.ts';
import {
  boolean,
  currency,
  type Filter,
  type FilterFields,
  filterNames,
  integer,
  numberCode,
  readFilters,
  text,
  timestamp,
  uuid,
  word,
} from '../../src/kernel/filters.ts';
import { unknownFilter } from '../harness/expect.ts';

const fields: FilterFields = {
  status: word('pending', 'paid'),
  name: text,
  // A field whose name begins like another's, and one whose name ends like a predicate.
  name_in: text,
  amount_sats: integer,
  created_at: timestamp,
  order_id: uuid,
  enabled: boolean,
  currency,
  payment_type: numberCode({ lightning: 0, cash: 1 }),
};
const id = '01900000-0000-7000-8000-00000000000a';

const read = (query: Record<string, unknown>) => readFilters(fields, query);

function faultsOf(query: Record<string, unknown>): readonly string[] {
  try {
    read(query);
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    expect((error as AppError).code).toBe('validation_error');
    return (error as AppError).details!;
  }
  return [];
}

describe('what is accepted', () => {
  test.each<[string, string, Filter]>([
    ['q[status_eq]', 'paid', { field: 'status', predicate: 'eq', values: ['paid'] }],
    ['q[status_not_eq]', 'paid', { field: 'status', predicate: 'not_eq', values: ['paid'] }],
    ['q[status_in]', 'paid,pending', { field: 'status', predicate: 'in', values: ['paid', 'pending'] }],
    ['q[name_cont]', '50%_', { field: 'name', predicate: 'cont', values: ['50%_'] }],
    ['q[name_eq]', '', { field: 'name', predicate: 'eq', values: [''] }],
    ['q[name_in]', 'a,b', { field: 'name', predicate: 'in', values: ['a', 'b'] }],
    ['q[name_in_in]', 'a,b', { field: 'name_in', predicate: 'in', values: ['a', 'b'] }],
    ['q[name_in_eq]', 'a', { field: 'name_in', predicate: 'eq', values: ['a'] }],
    ['q[amount_sats_gteq]', '-5', { field: 'amount_sats', predicate: 'gteq', values: [-5] }],
    ['q[amount_sats_lt]', '9007199254740991', { field: 'amount_sats', predicate: 'lt', values: [9007199254740991] }],
    ['q[amount_sats_in]', '1,2,3', { field: 'amount_sats', predicate: 'in', values: [1, 2, 3] }],
    ['q[order_id_eq]', id.toUpperCase(), { field: 'order_id', predicate: 'eq', values: [id] }],
    ['q[enabled_eq]', 'true', { field: 'enabled', predicate: 'eq', values: [true] }],
    ['q[enabled_not_eq]', 'false', { field: 'enabled', predicate: 'not_eq', values: [false] }],
    ['q[currency_eq]', 'EUR', { field: 'currency', predicate: 'eq', values: ['eur'] }],
    ['q[currency_in]', 'Usd,jpy', { field: 'currency', predicate: 'in', values: ['usd', 'jpy'] }],
    ['q[payment_type_eq]', '1', { field: 'payment_type', predicate: 'eq', values: [1] }],
    [
      'q[created_at_lteq]',
      '2027-03-01T10:00:00+02:00',
      { field: 'created_at', predicate: 'lteq', values: [new Date('2027-03-01T08:00:00Z')] },
    ],
  ])('%s=%s', (key, value, filter) => {
    expect(read({ [key]: value })).toEqual([filter]);
  });

  test('several at once, other parameters beside them', () => {
    const query = {
      page: '2',
      per_page: '5',
      expand: 'x',
      anything: '1',
      'q[status_eq]': 'paid',
      'q[enabled_eq]': 'true',
    };
    expect(read(query).map(({ field }) => field)).toEqual(['status', 'enabled']);
    expect(read({})).toEqual([]);
  });
});

describe('what is refused by name', () => {
  test.each([
    ['q[statuss_eq]', 'paid'],
    ['q[status_banana]', 'paid'],
    ['q[status_gt]', 'paid'],
    ['q[status]', 'paid'],
    ['q[_eq]', 'paid'],
    ['q[]', 'paid'],
    ['q[enabled_in]', 'true'],
    ['q[payment_type_gt]', '0'],
    ['q[order_id_cont]', id],
    ['q[currency_cont]', 'usd'],
    ['q[__proto___eq]', 'x'],
    ['q[constructor_eq]', 'x'],
    ['q[status_eq\nx]', 'paid'],
  ])('the unknown %j', (key, value) => {
    expect(faultsOf({ [key]: value })).toEqual([expect.stringMatching(unknownFilter(key))]);
  });

  test.each([
    ['q[status_cont]', 'write q[status_eq], q[status_not_eq], q[status_in]'],
    ['q[enabled]', 'write q[enabled_eq], q[enabled_not_eq]'],
    ['q[name_in_gt]', 'write q[name_in_eq], q[name_in_not_eq], q[name_in_in], q[name_in_cont]'],
    ['q[state_eq]', /^this list filters by status, name, .*, enabled, /],
  ])('the unknown %s, saying what there is instead', (key, instead) => {
    const [fault = ''] = faultsOf({ [key]: 'x' });
    expect(fault.replace(`${key} is not a known filter; `, '')).toEqual(
      typeof instead === 'string' ? instead : expect.stringMatching(instead),
    );
  });

  test.each([
    'q',
    'q[status_eq',
    'q[',
    'q.status_eq',
    'Q[status_eq]',
    ' q[status_eq]',
    'q [status_eq]',
    // Encoded twice, by a client whose library encodes as well.
    'q%5Bstatus_eq%5D',
  ])('the broken name %j', (key) => {
    expect(faultsOf({ [key]: 'paid' })).toEqual([expect.stringMatching(unknownFilter(key))]);
  });

  test.each([
    ['status', 'q[status_eq]'],
    ['status_in', 'q[status_in]'],
    ['created_at_gteq', 'q[created_at_gteq]'],
  ])('%s, which would be ignored otherwise', (key, instead) => {
    expect(faultsOf({ [key]: 'x' })).toEqual([`${key} is not a parameter; write ${instead}`]);
  });

  test.each([
    ['q[status_eq]', ['', 'PAID', 'paid ', 'paid,pending']],
    ['q[status_in]', ['', 'paid,', 'paid,other', ',']],
    ['q[name_eq]', ['a\u0000b', '\ud800']],
    ['q[amount_sats_eq]', ['', '1.5', '1e3', '0x1', ' 1', '+1', '--1', '9007199254740992', '1,2', '٣']],
    ['q[created_at_gt]', ['', 'now', '2027-02-30', '1772359200']],
    ['q[order_id_eq]', ['', 'x', `${id}0`, `{${id}}`]],
    ['q[enabled_eq]', ['', '1', 'True', 'yes']],
    ['q[currency_eq]', ['', 'xyz', 'us', ' usd', 'usd,eur']],
    ['q[payment_type_eq]', ['', '2', '-1', '0.0', '00000']],
  ])('%s with what is none of its values', (key, values) => {
    for (const value of values) {
      const faults = faultsOf({ [key]: value });
      expect([value, faults.length]).toEqual([value, 1]);
      expect(faults[0]).toMatch(/ must be /);
      expect(faults[0]!.startsWith(`${key} `)).toBe(true);
    }
  });

  test('one that comes twice', () => {
    expect(faultsOf({ 'q[status_eq]': ['paid', 'paid'] })).toEqual(['q[status_eq] is given more than once']);
  });

  test('all of them at once', () => {
    expect(faultsOf({ 'q[a_eq]': '1', 'q[enabled_eq]': 'maybe', 'q[status_eq]': 'paid' })).toHaveLength(2);
  });
});

describe('properties', () => {
  const predicates = ['eq', 'not_eq', 'gt', 'gteq', 'lt', 'lteq', 'in', 'cont'] as const;
  const field = fc.oneof(fc.constantFrom(...Object.keys(fields)), fc.string({ maxLength: 12 }));
  const predicate = fc.oneof(fc.constantFrom(...predicates), fc.string({ maxLength: 6 }));
  const value = fc.oneof(fc.string(), fc.constantFrom('paid', 'true', '1', id, '2027-01-01', 'paid,pending'));

  test('a filter is either understood or refused: none is ever dropped', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(field, predicate, value), { maxLength: 4 }), (parts) => {
        const query = Object.fromEntries(parts.map(([name, how, raw]) => [`q[${name}_${how}]`, raw]));
        const faults = faultsOf(query);
        if (faults.length > 0) return;
        expect(read(query)).toHaveLength(Object.keys(query).length);
      }),
    );
  });

  test('every documented name is accepted with a fitting value, and nothing else is documented', () => {
    const fitting: Record<string, string> = {
      text: 'x',
      integer: '7',
      timestamp: '2027-01-01',
      uuid: id,
      boolean: 'true',
      currency: 'usd',
      word: 'paid',
      number_code: '1',
    };
    const names = filterNames(fields);
    expect(new Set(names.map(({ name }) => name)).size).toBe(names.length);
    for (const { name, type, predicate: how } of names) {
      const [filter] = read({ [`q[${name}]`]: fitting[type.kind]! });
      expect(filter!.predicate).toBe(how);
    }
  });

  test('an integer is read as exactly that number or not at all', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (number) => {
        const raw = number.toString();
        if (faultsOf({ 'q[amount_sats_eq]': raw }).length > 0) {
          expect(number > BigInt(Number.MAX_SAFE_INTEGER) || number < BigInt(Number.MIN_SAFE_INTEGER)).toBe(true);
        } else {
          expect(BigInt(read({ 'q[amount_sats_eq]': raw })[0]!.values[0] as number)).toBe(number);
        }
      }),
    );
  });
});
