import type { WebSocket } from 'ws';
import { connectionError } from '../../kernel/outbound-error.ts';
import { WalletFault } from '../connector.ts';
import { type NostrEvent, readEvent, tagOf } from './nostr-event.ts';

export type Filter = Readonly<Record<string, unknown>>;

export interface RelayOptions {
  readonly url: string;
  open(url: string): WebSocket;
  /** What is subscribed to on every connection, by the subscription's name. */
  subscriptions(): Readonly<Record<string, Filter>>;
  onEvent(subscription: string, event: NostrEvent): void;
  onClose(): void;
  /** Signs the answer to a relay that wants to know who we are (NIP-42). */
  authenticate(challenge: string): NostrEvent;
}

const pingMs = 20_000;

/** A connection to one relay (NIP-01), opened when it is needed. */
export class Relay {
  readonly url: string;
  readonly #options: RelayOptions;
  #socket: WebSocket | undefined;
  #opening: Promise<void> | undefined;
  readonly #endOfStored = new Map<string, () => void>();

  constructor(options: RelayOptions) {
    this.url = options.url;
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === 1;
  }

  /** @throws {WalletFault} when the relay cannot be reached. */
  connect(): Promise<void> {
    if (this.isOpen) return Promise.resolve();
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  publish(event: NostrEvent): void {
    this.#send(['EVENT', event]);
  }

  /** Resolves when the relay has sent what it had stored for the filter. */
  async query(name: string, filter: Filter): Promise<void> {
    await this.connect();
    await new Promise<void>((resolve) => {
      this.#endOfStored.set(name, resolve);
      this.#send(['REQ', name, filter]);
    });
    this.#send(['CLOSE', name]);
  }

  close(): void {
    this.#socket?.terminate();
  }

  #open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = this.#options.open(this.url);
      this.#socket = socket;
      let isAlive = true;
      const pings = setInterval(() => {
        if (!isAlive) return socket.terminate();
        isAlive = false;
        if (this.isOpen) socket.ping();
      }, pingMs);
      const alive = () => {
        isAlive = true;
      };
      socket.on('pong', alive);
      socket.on('open', () => {
        for (const [name, filter] of Object.entries(this.#options.subscriptions())) this.#send(['REQ', name, filter]);
        resolve();
      });
      socket.on('message', (data) => {
        alive();
        this.#receive(String(data));
      });
      socket.on('error', (error) => {
        const { message } = connectionError(new URL(this.url).host, error, undefined);
        reject(new WalletFault('unreachable', message, { cause: error }));
      });
      socket.on('close', () => {
        clearInterval(pings);
        reject(new WalletFault('unreachable', `${new URL(this.url).host} closed the connection.`));
        for (const done of this.#endOfStored.values()) done();
        this.#endOfStored.clear();
        if (this.#socket === socket) this.#options.onClose();
      });
    });
  }

  #send(message: readonly unknown[]): void {
    if (this.isOpen) this.#socket!.send(JSON.stringify(message));
  }

  #receive(text: string): void {
    const [word, name, content] = readArray(text);
    if (typeof name !== 'string') return;
    if (word === 'EVENT') {
      const event = readEvent(content);
      if (event) this.#options.onEvent(name, event);
    } else if (word === 'EOSE' || word === 'CLOSED') {
      this.#endOfStored.get(name)?.();
      this.#endOfStored.delete(name);
    } else if (word === 'AUTH') {
      const answer = this.#options.authenticate(name);
      if (tagOf(answer, 'challenge') === name) this.#send(['AUTH', answer]);
      for (const [each, filter] of Object.entries(this.#options.subscriptions())) this.#send(['REQ', each, filter]);
    }
  }
}

function readArray(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
