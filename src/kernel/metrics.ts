import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What the process measures of itself, in Prometheus' words. One per process; labels never hold ids or personal data. */
export interface Metrics {
  readonly registry: Registry;
  /** Seconds per request, by operation and status. */
  readonly requestSeconds: Histogram<'operation' | 'status'>;
  /** Seconds from the wallet's word to the committed payment. */
  readonly settleSeconds: Histogram;
  /** Seconds that a due look-up came late. */
  readonly lookLagSeconds: Histogram;
  readonly looks: Counter<'connection' | 'outcome'>;
  /** Seconds that wallets took to answer, by what was asked. */
  readonly walletSeconds: Histogram<'connection' | 'call' | 'outcome'>;
  /** Seconds from an event to the beginning of its first attempt at an endpoint. */
  readonly deliveryLagSeconds: Histogram;
  /** Seconds that endpoints took to answer, by whether the attempt was good. */
  readonly deliverySeconds: Histogram<'outcome'>;
  readonly webhooksBehind: Gauge;
  readonly invoicesWatched: Gauge;
  readonly walletsBroken: Gauge;
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // Event loop delay, memory, garbage collection.
  collectDefaultMetrics({ register: registry, prefix: 'satline_' });
  return {
    registry,
    requestSeconds: new Histogram({
      name: 'satline_request_seconds',
      help: 'Time to answer a request',
      labelNames: ['operation', 'status'],
      buckets: seconds,
      registers,
    }),
    settleSeconds: new Histogram({
      name: 'satline_settle_seconds',
      help: 'Time from the word of a wallet to the committed payment',
      buckets: seconds,
      registers,
    }),
    lookLagSeconds: new Histogram({
      name: 'satline_look_lag_seconds',
      help: 'How late due look-ups of invoices were made',
      buckets: [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900],
      registers,
    }),
    looks: new Counter({
      name: 'satline_looks_total',
      help: 'Look-ups of invoices at wallets',
      labelNames: ['connection', 'outcome'],
      registers,
    }),
    walletSeconds: new Histogram({
      name: 'satline_wallet_seconds',
      help: 'Time that wallets took to answer',
      labelNames: ['connection', 'call', 'outcome'],
      buckets: seconds,
      registers,
    }),
    deliveryLagSeconds: new Histogram({
      name: 'satline_delivery_lag_seconds',
      help: 'Time from an event to the beginning of its first attempt at an endpoint',
      buckets: [...seconds, 30, 60, 300],
      registers,
    }),
    deliverySeconds: new Histogram({
      name: 'satline_delivery_seconds',
      help: 'Time that endpoints took to answer',
      labelNames: ['outcome'],
      buckets: seconds,
      registers,
    }),
    webhooksBehind: new Gauge({
      name: 'satline_webhooks_behind',
      help: 'Active endpoints with a delivery that has been due for more than a minute',
      registers,
    }),
    invoicesWatched: new Gauge({ name: 'satline_invoices_watched', help: 'Unpaid invoices under watch', registers }),
    walletsBroken: new Gauge({ name: 'satline_wallets_broken', help: 'Enabled wallets that do not answer', registers }),
  };
}
