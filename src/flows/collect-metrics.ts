import { addSeconds } from '../kernel/clock.ts';
import { listLaneHeads } from '../store/delivery-queue.ts';
import { readGauges } from '../store/gauges.ts';
import type { Parts } from './parts.ts';

/** Everything this process measures, in the text format of Prometheus. */
export async function collectMetrics({ db, clock, metrics }: Parts): Promise<{ contentType: string; text: string }> {
  const [gauges, heads] = await Promise.all([readGauges(db), listLaneHeads(db)]);
  const aMinuteAgo = addSeconds(clock.now(), -60);
  metrics.webhooksBehind.set(heads.filter(({ next_try_at }) => next_try_at < aMinuteAgo).length);
  metrics.invoicesWatched.set(gauges.invoices_watched);
  metrics.walletsBroken.set(gauges.wallets_broken);
  return { contentType: metrics.registry.contentType, text: await metrics.registry.metrics() };
}
