import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until `condition` holds, looking often. @throws after `millis`, saying `what` was waited for. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  millis = 5000,
  what = String(condition),
): Promise<void> {
  for (const end = performance.now() + millis; !(await condition()); await sleep(10)) {
    if (performance.now() > end) throw new Error(`Waited ${millis} ms in vain: ${what}`);
  }
}
