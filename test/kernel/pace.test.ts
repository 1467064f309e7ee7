import { expect, test } from 'vitest';
import { Pace } from '../../src/kernel/pace.ts';

test('a wake ends the sleep, and one that came before is not lost but counts once', async () => {
  const pace = new Pace();
  const sleeping = pace.sleep();
  pace.wake();
  expect(await sleeping).toBe(true);
  pace.wake();
  pace.wake();
  expect(await pace.sleep()).toBe(true);
  expect(await pace.sleep(1)).toBe(false);
});
