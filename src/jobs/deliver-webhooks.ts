import { deliverWebhook } from '../flows/deliver-webhook.ts';
import type { Parts } from '../flows/parts.ts';
import { Pace } from '../kernel/pace.ts';
import {
  type ClaimedDelivery,
  claimDeliveries,
  listActiveLanes,
  listLaneHeads,
  releaseDelivery,
  returnLostDeliveries,
} from '../store/delivery-queue.ts';
import { adoptEvents } from '../store/events.ts';
import { Lane } from './delivery-lane.ts';
import { type Job, startJob } from './job.ts';

/** Twice what an attempt may take; a process that dies gives its deliveries back after this. */
const leaseSeconds = 20;
/**
 * In this process, over all endpoints; half of it is kept for those that answer. So many sockets may lead to one host: an
 * attempt that waited for one would wait for somebody else's endpoint.
 */
export const mostAtOnce = 500;
const mostFailing = mostAtOnce / 2;
const pollMillis = 1000;
/** How long the endpoints of a merchant are remembered; a new one is found by the poll meanwhile. */
const lanesKeptMillis = 1000;
/** How long a stop waits for attempts under way before it gives them back. */
const stopPatienceMillis = 4000;

/**
 * Sends what waits for endpoints. A signal says that a merchant has news; the poll finds all the rest: retries that came
 * due, lanes of a dead process, and whatever a lost signal would have told.
 */
class Deliverer {
  readonly #parts: Parts;
  readonly #lanes = new Map<string, Lane>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #lanesOf = new Map<string, { ids: string[]; until: number }>();
  readonly #news = new Set<string>();
  readonly #giveUp = new AbortController();
  #polledAt = Number.NEGATIVE_INFINITY;
  #nextDueAt: Date | undefined;
  onRoom: () => void = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  hear(merchantId: string): void {
    this.#news.add(merchantId);
  }

  /** Claims and starts what is due and has room. @returns how many attempts it started. */
  async round(): Promise<number> {
    const { db, clock } = this.#parts;
    await this.#listen();
    if (this.#mustPoll()) await this.#poll();
    const wanted = this.#shareOut();
    if (wanted.length === 0) return 0;
    const claimed = await claimDeliveries(db, wanted, clock.now(), leaseSeconds);
    const taken = new Map<string, number>();
    for (const delivery of claimed) {
      taken.set(delivery.webhook_id, (taken.get(delivery.webhook_id) ?? 0) + 1);
      this.#start(delivery);
    }
    for (const { id, room } of wanted) {
      const lane = this.#lane(id);
      // Less than there was room for: the lane is empty until its next wake or poll.
      lane.hungry = taken.get(id) === room;
      // To the end of the line: where places are short, every lane gets its turn.
      this.#lanes.delete(id);
      this.#lanes.set(id, lane);
      this.#forget(id);
    }
    return claimed.length;
  }

  /** Milliseconds until the poll or the next retry, whichever is sooner. */
  sleepMillis(): number {
    const untilPoll = this.#polledAt + pollMillis - performance.now();
    const untilDue = this.#nextDueAt ? this.#nextDueAt.getTime() - this.#parts.clock.now().getTime() : pollMillis;
    return Math.max(1, Math.min(untilPoll, Math.max(20, untilDue)));
  }

  /** The next round polls, whenever the last one did. */
  pollSoon(): void {
    this.#polledAt = Number.NEGATIVE_INFINITY;
  }

  async settle(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /** Waits for attempts under way for a while, then gives the rest back unsent or in doubt. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#giveUp.abort(), stopPatienceMillis);
    await this.settle();
    clearTimeout(timer);
  }

  /** Who may start how many. */
  #shareOut(): { id: string; room: number }[] {
    let free = mostAtOnce - this.#underWay.size;
    let freeForFailing = mostFailing;
    for (const lane of this.#lanes.values()) if (lane.isFailing) freeForFailing -= lane.running;
    const shares: { id: string; room: number }[] = [];
    for (const lane of this.#lanes.values()) {
      if (!lane.hungry) continue;
      const room = Math.min(lane.room, free, lane.isFailing ? freeForFailing : free);
      if (room <= 0) continue;
      shares.push({ id: lane.id, room });
      free -= room;
      if (lane.isFailing) freeForFailing -= room;
    }
    return shares;
  }

  #mustPoll(): boolean {
    if (performance.now() - this.#polledAt >= pollMillis) return true;
    return this.#nextDueAt !== undefined && this.#nextDueAt <= this.#parts.clock.now();
  }

  async #listen(): Promise<void> {
    if (this.#news.size === 0) return;
    const merchants = [...this.#news];
    this.#news.clear();
    const now = performance.now();
    const unknown = merchants.filter((id) => (this.#lanesOf.get(id)?.until ?? 0) <= now);
    if (unknown.length > 0) {
      const found = await listActiveLanes(this.#parts.db, unknown);
      if (this.#lanesOf.size > 10_000) this.#lanesOf.clear();
      for (const id of unknown) this.#lanesOf.set(id, { ids: [], until: now + lanesKeptMillis });
      for (const { id, merchant_id } of found) this.#lanesOf.get(merchant_id)!.ids.push(id);
    }
    for (const merchant of merchants) {
      for (const id of this.#lanesOf.get(merchant)?.ids ?? []) this.#lane(id).hungry = true;
    }
  }

  async #poll(): Promise<void> {
    const { db, clock, log } = this.#parts;
    const returned = await returnLostDeliveries(db);
    if (returned > 0) log.info({ returned }, 'deliveries of a lost process wait again');
    const heads = await listLaneHeads(db);
    // Only now: a poll that failed is made again.
    this.#polledAt = performance.now();
    const now = clock.now();
    this.#nextDueAt = undefined;
    for (const { webhook_id, next_try_at } of heads) {
      if (next_try_at <= now) this.#lane(webhook_id).hungry = true;
      else if (!this.#nextDueAt || next_try_at < this.#nextDueAt) this.#nextDueAt = next_try_at;
    }
  }

  #start(delivery: ClaimedDelivery): void {
    const lane = this.#lane(delivery.webhook_id);
    lane.begin();
    const work = this.#attempt(delivery, lane).finally(() => {
      this.#underWay.delete(work);
      lane.leave();
      this.#forget(lane.id);
      if (lane.hungry || this.#underWay.size >= mostFailing - 1) this.onRoom();
    });
    this.#underWay.add(work);
  }

  async #attempt(delivery: ClaimedDelivery, lane: Lane): Promise<void> {
    const { db, clock, log, metrics } = this.#parts;
    const lagMillis = clock.now().getTime() - delivery.event_at.getTime();
    if (delivery.tries === 0) metrics.deliveryLagSeconds.observe(lagMillis / 1000);
    const outcome = await deliverWebhook(this.#parts, delivery, this.#giveUp.signal);
    if (!outcome) {
      await releaseDelivery(db, delivery.id, delivery.claim).catch((error) =>
        log.warn({ err: error, delivery: delivery.id }, 'a delivery waits until its lease ends'),
      );
      return;
    }
    metrics.deliverySeconds.observe({ outcome: outcome.good ? 'good' : 'failed' }, outcome.durationMillis / 1000);
    log.debug(
      {
        webhook: delivery.webhook_id,
        event: delivery.event_id,
        attempt: delivery.tries + 1,
        status: outcome.status,
        good: outcome.good,
        lag_ms: lagMillis,
        ms: outcome.durationMillis,
      },
      'delivery',
    );
    // A retry that this process knows of needs no poll to be found.
    if (outcome.nextTryAt && (!this.#nextDueAt || outcome.nextTryAt < this.#nextDueAt)) {
      this.#nextDueAt = outcome.nextTryAt;
    }
    await lane.end(outcome, this.#giveUp.signal);
  }

  #lane(id: string): Lane {
    let lane = this.#lanes.get(id);
    if (!lane) {
      lane = new Lane(id, this.#parts.db, this.#parts.log);
      this.#lanes.set(id, lane);
    }
    return lane;
  }

  #forget(id: string): void {
    if (this.#lanes.get(id)?.isIdle) this.#lanes.delete(id);
  }
}

/** Sends webhooks until stopped. */
export function deliverWebhooks(parts: Parts): Job {
  const { db, log } = parts;
  const pace = new Pace();
  const deliverer = new Deliverer(parts);
  deliverer.onRoom = () => pace.wake();
  const stopListening = db.onWake('event_recorded', (merchantId) => {
    deliverer.hear(merchantId);
    pace.wake();
  });
  const adopted = adoptEvents(db).catch((error) =>
    log.warn({ err: error }, 'events of a restored database were not checked'),
  );

  return startJob(log, {
    name: 'deliver-webhooks',
    pauseMillis: pollMillis,
    pace,
    async round() {
      await adopted;
      return (await deliverer.round()) === 0 ? deliverer.sleepMillis() : 0;
    },
    async end() {
      stopListening();
      await deliverer.stop();
    },
  });
}

/**
 * Sends everything that is due now and returns when all of it is done, retries that are due meanwhile included; for
 * tests and tools. @returns the number of attempts.
 */
export async function deliverDue(parts: Parts): Promise<number> {
  const deliverer = new Deliverer(parts);
  let attempts = 0;
  for (;;) {
    deliverer.pollSoon();
    const started = await deliverer.round();
    attempts += started;
    await deliverer.settle();
    if (started === 0) return attempts;
  }
}
