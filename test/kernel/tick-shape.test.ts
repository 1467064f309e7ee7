import { expect, test } from 'vitest';
import { keepTickShape } from '../../src/kernel/tick-shape.ts';

test('this Node has the entries whose shape is to be kept', () => {
  expect(keepTickShape()).toBe(true);
});
