import { expect, test } from 'vitest';
import { AppError } from '../../src/kernel/errors.ts';
import { declaredFailure } from '../../src/operation/failures.ts';
import { getOrder } from '../../src/resources/orders/get-order.ts';

test.each(['not_found', 'forbidden', 'validation_error'] as const)(
  'an operation may end with %s, which it declares',
  (code) => {
    const error = new AppError(code, 'No');
    expect(declaredFailure(getOrder, error)).toBe(error);
  },
);

test('an error that an operation does not declare is a fault of ours', () => {
  expect(declaredFailure(getOrder, new AppError('conflict', 'No'))).toEqual(
    new Error('get_order ended with conflict, which it does not declare'),
  );
});

test('whatever else goes wrong stays what it is', () => {
  const error = new TypeError('undefined is not a function');
  expect(declaredFailure(getOrder, error)).toBe(error);
});
