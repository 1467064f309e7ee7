import { WalletFault } from '../lightning/connector.ts';

/**
 * Runs one call to a wallet with a time limit that holds even when the adapter ignores its signal.
 * @throws {WalletFault} `unreachable` when the time is up.
 */
export async function withLimit<T>(
  limitMillis: number,
  outer: AbortSignal,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = () => limit.abort();
  if (outer.aborted) throw new WalletFault('unreachable', 'The call to the wallet was given up.');
  outer.addEventListener('abort', stop, { once: true });
  const timeUp = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      // Before the abort, which rejects as well.
      reject(new WalletFault('unreachable', `The wallet did not answer within ${Math.ceil(limitMillis / 1000)} s.`));
      limit.abort();
    }, limitMillis);
    limit.signal.addEventListener(
      'abort',
      () => reject(new WalletFault('unreachable', 'The call to the wallet was given up.')),
      { once: true },
    );
  });
  try {
    return await Promise.race([call(limit.signal), timeUp]);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', stop);
  }
}
