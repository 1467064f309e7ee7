import type { WebSocket } from 'ws';
import { connectionError } from '../../kernel/outbound-error.ts';
import { WalletFault } from '../connector.ts';
import { type NostrEvent, readEvent } from './nostr-event.ts';

export type Filter = Readonly<Record<string, unknown>>;

export interface RelayOptions {
  readonly url: string;
  open(url: string): WebSocket;
  /** What is subscribed to on every connection, by the subscription's name. */
  subscriptions(): Readonly<Record<string, Filter>>;
  onEvent(subscription: string, event: NostrEvent): void;
  /** What is sent from now on is taken, after the subscriptions; what was sent before may have been turned away. */
  onReady(): void;
  /** A subscription stands: whatever the relay gets from now on comes. */
  onListening(subscription: string): void;
  /** It was open and is no more. */
  onClose(): void;
  /** Signs the answer to a relay that wants to know who we are (NIP-42). */
  authenticate(challenge: string): NostrEvent;
}

const pingMillis = 20_000;
const firstPauseMillis = 1000;
const longestPauseMillis = 60_000;

/** A connection to one relay (NIP-01), opened when it is needed. */
export class Relay {
  readonly url: string;
  readonly #options: RelayOptions;
  #socket: WebSocket | undefined;
  #opening: Promise<void> | undefined;
  /** Id of the event that says who we are, until the relay has taken it. */
  #introduction: string | undefined;
  readonly #queries = new Map<string, { readonly filter: Filter; done(): void }>();
  #pauseMillis = 0;
  #failedAt = 0;

  constructor(options: RelayOptions) {
    this.url = options.url;
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === 1;
  }

  /** Whether it failed so lately that trying again is for those who have no other. */
  get isResting(): boolean {
    return performance.now() - this.#failedAt < this.#pauseMillis;
  }

  /** @throws {WalletFault} when the relay cannot be reached. */
  connect(): Promise<void> {
    if (this.isOpen) return Promise.resolve();
    this.#opening ??= this.#open()
      .then(
        () => {
          this.#pauseMillis = 0;
        },
        (error: unknown) => {
          this.#failedAt = performance.now();
          this.#pauseMillis = Math.min(longestPauseMillis, Math.max(firstPauseMillis, this.#pauseMillis * 2));
          throw error;
        },
      )
      .finally(() => {
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
    await new Promise<void>((done) => {
      this.#queries.set(name, { filter, done });
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
      this.#introduction = undefined;
      let wasOpen = false;
      let isAlive = true;
      const pings = setInterval(() => {
        if (!isAlive) return socket.terminate();
        isAlive = false;
        if (this.isOpen) socket.ping();
      }, pingMillis);
      const alive = () => {
        isAlive = true;
      };
      socket.on('pong', alive);
      socket.on('open', () => {
        wasOpen = true;
        this.#subscribe();
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
        if (this.#socket !== socket || !wasOpen) return;
        for (const name of [...this.#queries.keys()]) this.#endQuery(name);
        this.#options.onClose();
      });
    });
  }

  #subscribe(): void {
    for (const [name, filter] of Object.entries(this.#options.subscriptions())) this.#send(['REQ', name, filter]);
    for (const [name, { filter }] of this.#queries) this.#send(['REQ', name, filter]);
    this.#options.onReady();
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
    } else if (word === 'EOSE') this.#onStored(name);
    else if (word === 'CLOSED') this.#onClosed(name, String(content));
    else if (word === 'AUTH') this.#introduce(name);
    else if (word === 'OK' && name === this.#introduction) this.#onIntroduced(content === true);
  }

  /** All that it had stored was sent. */
  #onStored(name: string): void {
    if (name in this.#options.subscriptions()) this.#options.onListening(name);
    else this.#endQuery(name);
  }

  #onClosed(name: string, reason: string): void {
    // One that first wants to know who we are is asked again once it does.
    if (reason.startsWith('auth-required:')) return;
    // Without its subscriptions a relay is of no use, however open it looks.
    if (name in this.#options.subscriptions()) this.close();
    else this.#endQuery(name);
  }

  #introduce(challenge: string): void {
    const introduction = this.#options.authenticate(challenge);
    this.#introduction = introduction.id;
    this.#send(['AUTH', introduction]);
  }

  #onIntroduced(isWelcome: boolean): void {
    this.#introduction = undefined;
    if (isWelcome) this.#subscribe();
    else for (const name of [...this.#queries.keys()]) this.#endQuery(name);
  }

  #endQuery(name: string): void {
    this.#queries.get(name)?.done();
    this.#queries.delete(name);
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
