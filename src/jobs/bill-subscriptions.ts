import type { Parts } from '../flows/parts.ts';
import { stepDueSubscription } from '../flows/step-subscription.ts';
import { addSeconds } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import {
  type DueSubscription,
  findNextSubscriptionLook,
  listDueSubscriptions,
  putSubscriptionOff,
} from '../store/subscriptions.ts';
import { type Job, startJob } from './job.ts';

const batchSize = 200;
const mostAtOnce = 4;
const retrySeconds = 300;
/** Longest sleep: whoever accepts or changes a subscription writes its next look, and nobody is woken for it. */
const longestSleepMillis = 5000;

/**
 * Does what time wants of subscriptions: announces the ends of trials, bills periods, marks them late, ends them. All of
 * it lives in the rows, each step is one transaction, and any number of processes may do this at once.
 */
export function billSubscriptions(parts: Parts): Job {
  return startJob(parts.log, {
    name: 'bill-subscriptions',
    pauseMillis: longestSleepMillis,
    round: async (signal) => ((await stepDueSubscriptions(parts, signal)) > 0 ? 0 : millisUntilNextLook(parts)),
  });
}

async function millisUntilNextLook({ db, clock }: Parts): Promise<number> {
  const next = await findNextSubscriptionLook(db);
  if (next === null) return longestSleepMillis;
  return Math.max(1000, Math.min(longestSleepMillis, next.getTime() - clock.now().getTime()));
}

/** One batch of what is due. @returns how many steps were taken. */
export async function stepDueSubscriptions(parts: Parts, signal?: AbortSignal): Promise<number> {
  const due = shuffled(await listDueSubscriptions(parts.db, parts.clock.now(), batchSize));
  let steps = 0;
  async function work(): Promise<void> {
    for (let seen = due.pop(); seen && !signal?.aborted; seen = due.pop()) {
      if (await stepOne(parts, seen)) steps++;
    }
  }
  await Promise.all(Array.from({ length: mostAtOnce }, work));
  return steps;
}

async function stepOne(parts: Parts, seen: DueSubscription): Promise<boolean> {
  try {
    return await stepDueSubscription(parts, seen);
  } catch (error) {
    // Charged or changed at the same moment by another process: whatever is left to do is found again.
    if (error instanceof AppError && error.code === 'conflict') return false;
    parts.log.error({ err: error, subscription: seen.id }, 'a step of a subscription failed; it is tried again later');
    const now = parts.clock.now();
    await putSubscriptionOff(parts.db, seen.id, addSeconds(now, retrySeconds), now);
    return false;
  }
}

/** So that processes which read the same batch seldom reach for the same subscription. */
function shuffled(due: DueSubscription[]): DueSubscription[] {
  for (let last = due.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [due[last], due[other]] = [due[other]!, due[last]!];
  }
  return due;
}
