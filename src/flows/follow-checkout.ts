import { Pace } from '../kernel/pace.ts';
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

interface CheckoutFollowers {
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
  readonly sessionId: string;
  readonly merchantId: string;
  /** Woken when the checkout changed, or may have, since its page was read. */
  readonly pace: Pace;
}

export function followCheckouts(parts: Parts): CheckoutFollowers {
  const lookout = new CheckoutLookout(parts);
  return { follow: (token, visitor, signal) => followOne(parts, lookout, token, visitor, signal) };
}

async function* followOne(
  parts: Parts,
  lookout: CheckoutLookout,
  token: string,
  visitor: CheckoutVisitor,
  signal: AbortSignal,
): AsyncGenerator<CheckoutView | undefined, void, void> {
  const session = await findCheckoutSessionByToken(parts.db, token);
  if (!session || signal.aborted) return;
  const pace = new Pace();
  const follower: Follower = { sessionId: session.id, merchantId: session.merchant_id, pace };
  const leave = () => pace.wake();
  signal.addEventListener('abort', leave);
  lookout.add(follower);
  let told = '';
  try {
    while (!signal.aborted) {
      const view = await showCheckout(parts, token, visitor);
      if (!view) return;
      const shown = `${view.state} ${view.bolt11 ?? ''}`;
      if (shown !== told) {
        told = shown;
        yield view;
      }
      if (over.has(view.state)) return;
      while (!(await pace.sleep(heartbeatMillis))) {
        yield undefined;
        // A wallet that answers again changes nothing that a look would notice.
        if (view.state === 'unpayable') break;
      }
    }
  } finally {
    lookout.remove(follower);
    signal.removeEventListener('abort', leave);
  }
}

/**
 * Looks on behalf of everybody who follows a checkout in this process: one statement for all of them every 2 s, and when
 * something happened at their merchants; only whose checkout changed reads its page anew. One look at a time, however
 * much happens.
 */
class CheckoutLookout {
  readonly #parts: Parts;
  readonly #followers = new Set<Follower>();
  /** Where each checkout stood at the last look. */
  readonly #signs = new Map<string, string>();
  readonly #invoices = new Set<string>();
  #viewedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopsListening: (() => void)[] = [];
  #isLooking = false;
  #isAskedAgain = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  add(follower: Follower): void {
    if (this.#followers.size === 0) this.#begin();
    this.#followers.add(follower);
    // The first look notes where everything stands; what comes before it is news, which costs one reading.
    this.#signs.delete(follower.sessionId);
  }

  remove(follower: Follower): void {
    this.#followers.delete(follower);
    if (this.#followers.size === 0) this.#end();
  }

  #begin(): void {
    const { db } = this.#parts;
    this.#stopsListening = [
      db.onWake('event_recorded', (merchantId) => {
        if ([...this.#followers].some((one) => one.merchantId === merchantId)) void this.#look();
      }),
      db.onWake('invoice_changed', (invoiceId) => {
        if (this.#invoices.has(invoiceId)) void this.#look();
      }),
    ];
    this.#timer = setInterval(() => void this.#look(), pollMillis);
  }

  #end(): void {
    clearInterval(this.#timer);
    for (const stop of this.#stopsListening) stop();
    this.#signs.clear();
    this.#invoices.clear();
  }

  async #look(): Promise<void> {
    this.#isAskedAgain = this.#isLooking;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      do {
        this.#isAskedAgain = false;
        await this.#lookOnce();
      } while (this.#isAskedAgain);
    } catch (error) {
      // The next turn of the clock tries again.
      this.#parts.log.warn({ err: error }, 'open checkout pages could not be brought up to date');
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookOnce(): Promise<void> {
    const { db, clock } = this.#parts;
    const ids = new Set([...this.#followers].map(({ sessionId }) => sessionId));
    // In a busy shop somebody always follows something: what nobody follows any more is forgotten here.
    for (const id of this.#signs.keys()) if (!ids.has(id)) this.#signs.delete(id);
    const now = clock.now();
    const found = await listCheckoutSigns(db, [...ids], now);
    const changed = new Set<string>();
    this.#invoices.clear();
    for (const { id, sign, invoice_id } of found) {
      if (this.#signs.get(id) !== sign) changed.add(id);
      this.#signs.set(id, sign);
      if (invoice_id) this.#invoices.add(invoice_id);
    }
    if (performance.now() - this.#viewedAt >= viewerMillis && this.#invoices.size > 0) {
      this.#viewedAt = performance.now();
      await keepInvoicesViewed(db, [...this.#invoices], now);
    }
    for (const follower of this.#followers) {
      if (changed.has(follower.sessionId)) follower.pace.wake();
    }
  }
}
