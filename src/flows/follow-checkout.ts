import type { CheckoutView } from '../model/checkout-view.ts';
import type { Parts } from './parts.ts';
import { type CheckoutVisitor, showCheckout } from './show-checkout.ts';

/** A lost signal costs no more than this. */
const pollMillis = 2000;
/** Proxies keep a connection on which something is said; a dead one is noticed. */
const heartbeatMillis = 15_000;

const over = new Set<CheckoutView['state']>(['paid', 'paid_late', 'expired', 'cancelled']);

/**
 * What a checkout's page shows, at once and whenever it changes, until it is over or `signal` aborts; undefined in between
 * when only time has passed.
 */
export async function* followCheckout(
  parts: Parts,
  token: string,
  visitor: CheckoutVisitor,
): AsyncGenerator<CheckoutView | undefined, void, void> {
  const { signal } = visitor;
  let ring = () => {};
  const wake = () => ring();
  const stops = [parts.db.onWake('invoice_changed', wake), parts.db.onWake('event_recorded', wake)];
  signal.addEventListener('abort', wake);
  let told = '';
  let saidAt = performance.now();
  try {
    while (!signal.aborted) {
      const view = await showCheckout(parts, token, visitor);
      if (!view) return;
      const now = `${view.state} ${view.bolt11 ?? ''}`;
      if (now !== told) {
        told = now;
        saidAt = performance.now();
        yield view;
        if (over.has(view.state)) return;
      } else if (performance.now() - saidAt >= heartbeatMillis) {
        saidAt = performance.now();
        yield undefined;
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMillis);
        ring = () => {
          clearTimeout(timer);
          resolve();
        };
        if (signal.aborted) ring();
      });
    }
  } finally {
    for (const stop of stops) stop();
    signal.removeEventListener('abort', wake);
  }
}
