/** Waiting, on timers that a test cannot fake: the nodes must keep running while a test moves its own clock. */

export const realTimers = {
  setTimeout: globalThis.setTimeout,
  setImmediate: globalThis.setImmediate,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  now: performance.now.bind(performance),
};

function sleep(millis: number): Promise<void> {
  return new Promise((resolve) => realTimers.setTimeout(resolve, millis));
}

/**
 * Looks every few milliseconds until `condition` holds. Rejects, naming `what`, after `timeoutMillis` (milliseconds,
 * default 10 000: generous, because the machine may be busy; a healthy rig needs far less).
 */
export async function waitUntil(condition: () => boolean, what: string, timeoutMillis = 10_000): Promise<void> {
  const deadline = realTimers.now() + timeoutMillis;
  while (!condition()) {
    if (realTimers.now() > deadline) throw new Error(`waited ${timeoutMillis} ms in vain until ${what}`);
    await sleep(2);
  }
}
