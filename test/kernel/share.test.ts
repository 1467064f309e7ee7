import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shareOut } from '../../src/kernel/share.ts';

test('parts add up to the whole, and none is off its exact share by a whole unit', () => {
  const weight = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  const whole = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  fc.assert(
    fc.property(whole, fc.array(weight, { minLength: 1, maxLength: 50 }), (total, weights) => {
      const parts = shareOut(total, weights);
      expect(parts.reduce((sum, part) => sum + BigInt(part), 0n)).toBe(BigInt(total));
      const all = weights.reduce((sum, one) => sum + BigInt(one), 0n);
      if (all === 0n) return;
      for (const [index, part] of parts.entries()) {
        const exact = (BigInt(total) * BigInt(weights[index]!)) / all;
        expect(BigInt(part) - exact === 0n || BigInt(part) - exact === 1n).toBe(true);
      }
    }),
  );
});

test('leaves go to the largest fractions, the first of equals first', () => {
  expect(shareOut(100, [1, 1, 1])).toEqual([34, 33, 33]);
  expect(shareOut(10, [1, 2, 3])).toEqual([2, 3, 5]);
  expect(shareOut(5, [0, 0])).toEqual([5, 0]);
  expect(shareOut(5, [])).toEqual([]);
});
