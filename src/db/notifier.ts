import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Logger } from '../kernel/log.ts';
import type { WakeChannel } from './database.ts';
import { Wakes } from './wakes.ts';

const channelName = 'satline_wake';
const reconnectMillis = 1000;
const gatherMillis = 5;

/**
 * Carries wakes between processes over one LISTEN connection. NOTIFY goes out after the business commit and in batches:
 * inside the transaction it would make all commits queue behind one another. A signal lost while the connection is down
 * only delays work until the next poll.
 */
export class Notifier {
  readonly wakes = new Wakes((channel, subject) => this.#queue(channel, subject));
  readonly #processId = randomUUID().slice(0, 8);
  readonly #config: pg.ClientConfig;
  readonly #log: Logger;
  readonly #send: (payloads: string[]) => Promise<void>;
  #pending = new Set<string>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(config: pg.ClientConfig, log: Logger, send: (payloads: string[]) => Promise<void>) {
    this.#config = config;
    this.#log = log;
    this.#send = send;
  }

  async listen(): Promise<void> {
    const client = new pg.Client(this.#config);
    client.on('error', (error) => this.#log.warn({ err: error }, 'listen connection lost'));
    client.on('end', () => this.#reconnectLater());
    client.on('notification', ({ payload }) => this.#receive(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${channelName}`);
      this.#client = client;
    } catch (error) {
      this.#log.warn({ err: error }, 'cannot listen for wakes; polling goes on');
      await client.end().catch(() => {});
      this.#reconnectLater();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => {});
  }

  #reconnectLater(): void {
    this.#client = undefined;
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.listen(), reconnectMillis);
    this.#timer.unref();
  }

  #queue(channel: WakeChannel, subject: string): void {
    if (this.#pending.size === 0) setTimeout(() => void this.#flush(), gatherMillis);
    this.#pending.add(`${this.#processId} ${channel} ${subject}`);
  }

  async #flush(): Promise<void> {
    const payloads = [...this.#pending];
    this.#pending = new Set();
    if (this.#closed) return;
    await this.#send(payloads).catch((error) => this.#log.debug({ err: error }, 'a wake was not sent'));
  }

  #receive(payload: string): void {
    const [processId, channel, subject] = payload.split(' ');
    if (processId === this.#processId || !channel || subject === undefined) return;
    this.wakes.deliver(channel as WakeChannel, subject);
  }
}

export const notifyText = `select pg_notify('${channelName}', payload) from unnest($1::text[]) as payload`;
