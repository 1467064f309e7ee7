import { readGauges } from '../store/gauges.ts';
import type { Parts } from './parts.ts';

/** Everything this process measures, in the text format of Prometheus. */
export async function collectMetrics({ db, metrics }: Parts): Promise<{ contentType: string; text: string }> {
  const gauges = await readGauges(db);
  metrics.invoicesWatched.set(gauges.invoices_watched);
  metrics.walletsBroken.set(gauges.wallets_broken);
  return { contentType: metrics.registry.contentType, text: await metrics.registry.metrics() };
}
