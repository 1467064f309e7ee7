import { networkOf } from './network-of.ts';

/** What strangers behind one address can cause at one merchant, so that a flood never starves the merchant's own sales. */
const mostPerMinute = 30;
const mostOpen = 100;
const minuteMillis = 60_000;
/** Pages and pollers of one checkout that come together ride on one request. */
const togetherMillis = 2000;
/** Addresses remembered; beyond it the one that has been silent longest is forgotten. */
const mostRemembered = 50_000;

export interface QuotaRequest {
  /** Checkout sessions and invoices are counted apart: the one leads to the other. */
  kind: 'checkout' | 'invoice';
  merchantId: string;
  address: string;
  /** The checkout it is for: that has one place, however often it asks. */
  subject: string;
  now: Date;
  /** How long the place is held, unless it is given back. */
  lifeSeconds: number;
}

interface Past {
  /** What was asked in the last minute, and when. */
  asked: { subject: string; at: number }[];
  /** When what is open closes by itself, by subject. */
  closes: Map<string, number>;
}

export interface PublicQuota {
  /** Takes a place. @returns 0 when it was taken, else the seconds until it is worth trying again. */
  take(request: QuotaRequest): number;
  /** Nothing is open there any more: it failed, or it was paid. That it was asked for still counts. */
  giveBack(request: Pick<QuotaRequest, 'kind' | 'merchantId' | 'address' | 'subject'>): void;
}

/** Counted in this process: with several, each counts what came to it. */
export function createPublicQuota(): PublicQuota {
  const pasts = new Map<string, Past>();

  return {
    take({ kind, merchantId, address, subject, now, lifeSeconds }) {
      const key = keyOf({ kind, merchantId, address });
      const at = now.getTime();
      const past = recent(pasts.get(key), at);
      // To the end of the line of those that are forgotten.
      pasts.delete(key);
      pasts.set(key, past);
      if (pasts.size > mostRemembered) pasts.delete(pasts.keys().next().value!);

      const isOpen = past.closes.has(subject);
      const isTogether = past.asked.some((one) => one.subject === subject && one.at > at - togetherMillis);
      if (!isTogether && past.asked.length >= mostPerMinute) return secondsUntil(past.asked[0]!.at + minuteMillis, at);
      if (!isOpen && past.closes.size >= mostOpen) return secondsUntil(Math.min(...past.closes.values()), at);
      if (!isTogether) past.asked.push({ subject, at });
      past.closes.set(subject, at + lifeSeconds * 1000);
      return 0;
    },
    giveBack(request) {
      pasts.get(keyOf(request))?.closes.delete(request.subject);
    },
  };
}

function keyOf({ kind, merchantId, address }: Pick<QuotaRequest, 'kind' | 'merchantId' | 'address'>): string {
  return `${kind} ${merchantId} ${networkOf(address)}`;
}

function recent(past: Past | undefined, at: number): Past {
  return {
    asked: past?.asked.filter((one) => one.at > at - minuteMillis) ?? [],
    closes: new Map([...(past?.closes ?? [])].filter(([, closesAt]) => closesAt > at)),
  };
}

const secondsUntil = (moment: number, now: number): number => Math.max(1, Math.ceil((moment - now) / 1000));
