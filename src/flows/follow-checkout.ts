import type { CheckoutView } from '../model/checkout-view.ts';
import { findCheckoutSessionByToken, listCheckoutSigns } from '../store/checkout-sessions.ts';
import { keepInvoicesViewed } from '../store/invoice-watch.ts';
import type { Parts } from './parts.ts';
import { type CheckoutVisitor, showCheckout } from './show-checkout.ts';

/** A lost signal costs no more than this. */
const pollMillis = 2000;
/** The watcher forgets a viewer after half a minute. */
const viewerMillis = 10_000;
/** Proxies keep a connection on which something is said; a dead one is noticed. */
const heartbeatMillis = 15_000;

const over = new Set<CheckoutView['state']>(['paid', 'paid_late', 'expired', 'cancelled']);

export interface CheckoutFollowers {
  /**
   * What a checkout's page shows, at once and whenever it changes, until it is over or `signal` aborts; undefined when
   * only time has passed.
   */
  follow(
    token: string,
    visitor: CheckoutVisitor,
    signal: AbortSignal,
  ): AsyncGenerator<CheckoutView | undefined, void, void>;
}

interface Follower {
  sessionId: string;
  merchantId: string;
  ring(): void;
}

/**
 * Looks on behalf of everybody who follows a checkout in this process: one statement for all of them every 2 s, and when
 * something happened at their merchants; only whose checkout changed reads its page anew. One look at a time, however
 * much happens.
 */
export function followCheckouts(parts: Parts): CheckoutFollowers {
  const followers = new Set<Follower>();
  const signs = new Map<string, string>();
  const invoices = new Set<string>();
  let viewedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let stopListening: (() => void) | undefined;
  let isLooking = false;
  let isAskedAgain = false;

  function begin(): void {
    const stops = [
      parts.db.onWake('event_recorded', (merchantId) => {
        if ([...followers].some((one) => one.merchantId === merchantId)) void look();
      }),
      parts.db.onWake('invoice_changed', (invoiceId) => {
        if (invoices.has(invoiceId)) void look();
      }),
    ];
    timer = setInterval(look, pollMillis);
    stopListening = () => {
      for (const stop of stops) stop();
    };
  }

  function end(): void {
    clearInterval(timer);
    stopListening?.();
    signs.clear();
    invoices.clear();
  }

  async function look(): Promise<void> {
    isAskedAgain = isLooking;
    if (isLooking) return;
    isLooking = true;
    try {
      do {
        isAskedAgain = false;
        await lookOnce();
      } while (isAskedAgain);
    } catch (error) {
      // The next turn of the clock tries again.
      parts.log.warn({ err: error }, 'open checkout pages could not be brought up to date');
    } finally {
      isLooking = false;
    }
  }

  async function lookOnce(): Promise<void> {
    const ids = new Set([...followers].map(({ sessionId }) => sessionId));
    // In a busy shop somebody always follows something: what nobody follows any more is forgotten here.
    for (const id of signs.keys()) if (!ids.has(id)) signs.delete(id);
    const now = parts.clock.now();
    const found = await listCheckoutSigns(parts.db, [...ids], now);
    const changed = new Set<string>();
    invoices.clear();
    for (const { id, sign, invoice_id } of found) {
      if (signs.get(id) !== sign) changed.add(id);
      signs.set(id, sign);
      if (invoice_id) invoices.add(invoice_id);
    }
    if (performance.now() - viewedAt >= viewerMillis && invoices.size > 0) {
      viewedAt = performance.now();
      await keepInvoicesViewed(parts.db, [...invoices], now);
    }
    for (const follower of followers) if (changed.has(follower.sessionId)) follower.ring();
  }

  return {
    async *follow(token, visitor, signal) {
      const session = await findCheckoutSessionByToken(parts.db, token);
      if (!session || signal.aborted) return;
      let isNews = true;
      let wake = () => {};
      const follower: Follower = {
        sessionId: session.id,
        merchantId: session.merchant_id,
        ring() {
          isNews = true;
          wake();
        },
      };
      const leave = () => wake();
      signal.addEventListener('abort', leave);
      if (followers.size === 0) begin();
      followers.add(follower);
      // The first look notes where everything stands; what comes before it is news, which costs one reading.
      signs.delete(session.id);
      let told = '';
      let isUnpayable = false;
      try {
        while (!signal.aborted) {
          if (isNews) {
            isNews = false;
            const view = await showCheckout(parts, token, visitor);
            if (!view) return;
            isUnpayable = view.state === 'unpayable';
            const shown = `${view.state} ${view.bolt11 ?? ''}`;
            if (shown !== told) {
              told = shown;
              yield view;
            }
            if (over.has(view.state)) return;
          }
          if (isNews || signal.aborted) continue;
          await new Promise<void>((resolve) => {
            const beat = setTimeout(resolve, heartbeatMillis);
            wake = () => {
              clearTimeout(beat);
              resolve();
            };
          });
          if (isNews || signal.aborted) continue;
          yield undefined;
          // A wallet that answers again changes nothing that a look would notice.
          isNews = isUnpayable;
        }
      } finally {
        followers.delete(follower);
        signal.removeEventListener('abort', leave);
        if (followers.size === 0) end();
      }
    },
  };
}
