import { setMaxListeners } from 'node:events';
import { WalletFault } from '../connector.ts';

/** @throws {WalletFault} `unreachable` when time is up or the caller gives up. */
export async function withinTime<T>(work: Promise<T>, millis: number, signal: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  const over = new Promise<never>((_, reject) => {
    const fault = (text: string) => reject(new WalletFault('unreachable', text));
    timer = setTimeout(() => fault('The wallet did not answer over its relays in time.'), millis);
    onAbort = () => fault('The request to the wallet was given up.');
    if (signal.aborted) onAbort();
    setMaxListeners(0, signal);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
