import { WalletFault } from '../connector.ts';
import type { NostrEvent } from './nostr-event.ts';
import { type Filter, Relay, type RelayOptions } from './relay.ts';

interface RelaysOptions extends Omit<RelayOptions, 'url' | 'onReady' | 'onClose' | 'authenticate'> {
  readonly urls: readonly string[];
  /** One of them is ready; `publish` reaches that one alone. */
  onReady(publish: (event: NostrEvent) => void): void;
  /** The last open one is gone. */
  onLost(): void;
  authenticate(url: string, challenge: string): NostrEvent;
}

/** All relays of a connection: one that works is enough, and those that do not are tried again now and then. */
export class Relays {
  readonly #relays: readonly Relay[];

  constructor({ urls, onReady, onLost, authenticate, ...common }: RelaysOptions) {
    this.#relays = urls.map((url): Relay => {
      const relay: Relay = new Relay({
        ...common,
        url,
        onReady: () => onReady((event) => relay.publish(event)),
        onClose: () => {
          if (!this.isOpen) onLost();
        },
        authenticate: (challenge) => authenticate(url, challenge),
      });
      return relay;
    });
  }

  get isOpen(): boolean {
    return this.#relays.some((relay) => relay.isOpen);
  }

  /** Resolves when one is open; the others go on connecting. @throws {WalletFault} when none can be reached. */
  async connect(): Promise<void> {
    await anyOf(this.#worthTrying().map((relay) => relay.connect()));
  }

  /** Over all that are open; to one that opens later it is for `onReady` to send it. */
  publish(event: NostrEvent): void {
    for (const relay of this.#relays) relay.publish(event);
  }

  /**
   * Asks all for what they have stored. @returns what `read` makes of the first answer that it finds something in.
   * @throws {WalletFault} when none has it.
   */
  async query<Found>(name: string, filter: Filter, read: () => Found | undefined): Promise<Found> {
    return anyOf(
      this.#worthTrying().map(async (relay) => {
        await relay.query(name, filter);
        const found = read();
        if (found === undefined) throw new WalletFault('unreachable', 'The relay does not know this wallet.');
        return found;
      }),
    );
  }

  close(): void {
    for (const relay of this.#relays) relay.close();
  }

  /** Those that failed lately are left in peace, unless there is no other. */
  #worthTrying(): readonly Relay[] {
    return this.isOpen ? this.#relays.filter((relay) => relay.isOpen || !relay.isResting) : this.#relays;
  }
}

/** As `Promise.any`, with the first error in place of all. */
async function anyOf<Value>(promises: readonly Promise<Value>[]): Promise<Value> {
  try {
    return await Promise.any(promises);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  }
}
