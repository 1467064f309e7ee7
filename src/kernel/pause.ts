/** Waits for so many milliseconds, or until `signal` aborts; which of the two, the signal tells. */
export function pause(millis: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, millis);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
