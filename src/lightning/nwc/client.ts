import { setMaxListeners } from 'node:events';
import type { Clock } from '../../kernel/clock.ts';
import type { Outbound } from '../../kernel/outbound.ts';
import { WalletFault } from '../connector.ts';
import { xOnlyPublicKeyOf } from '../secp256k1.ts';
import type { JsonObject } from '../wallet-http.ts';
import { type Conversation, type EncryptionName, openConversations } from './encryption.ts';
import { isGenuine, type NostrEvent, signEvent, tagOf } from './nostr-event.ts';
import { Relay } from './relay.ts';

export interface NwcConnection {
  readonly relays: readonly string[];
  /** The wallet's key, 32 bytes of hex. */
  readonly walletPubkey: string;
  /** Our key for this connection, 32 bytes of hex. */
  readonly secret: string;
}

/** What the wallet publishes about itself (kind 13194). */
export interface WalletInfo {
  readonly methods: readonly string[];
  readonly notifications: readonly string[];
}

const kinds = { info: 13_194, request: 23_194, reply: 23_195, notification04: 23_196, notification44: 23_197 };
/** The wallet may not have been listening yet. It knows a request by its id, so that sending it again does nothing twice. */
const sendAgainMs = 3000;
const replyMs = 10_000;
const infoMs = 5000;

interface Waiting {
  readonly conversation: Conversation;
  answer(text: string): void;
  fail(fault: WalletFault): void;
}

/**
 * The client's side of NIP-47 over all relays of a connection: whatever comes first counts, and one relay is enough.
 * Replies are matched by the request they name, because wallets leave the `p` tag out.
 */
export class NwcClient {
  readonly #connection: NwcConnection;
  readonly #key: Buffer;
  readonly #pubkey: string;
  readonly #clock: Clock;
  readonly #relays: readonly Relay[];
  readonly #conversations: Record<EncryptionName, Conversation>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<{ notify(notification: JsonObject): void; lost(): void }>();
  #infoEvent: NostrEvent | undefined;
  #asking: Promise<void> | undefined;

  constructor(connection: NwcConnection, outbound: Outbound, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#key = Buffer.from(connection.secret, 'hex');
    this.#pubkey = Buffer.from(xOnlyPublicKeyOf(this.#key)).toString('hex');
    this.#conversations = openConversations(this.#key, Buffer.from(connection.walletPubkey, 'hex'));
    this.#relays = connection.relays.map(
      (url) =>
        new Relay({
          url,
          open: (address) => outbound.socket({ url: address }),
          subscriptions: () => this.#subscriptions(),
          onEvent: (name, event) => this.#onEvent(name, event),
          onClose: () => this.#onClose(),
          authenticate: (challenge) => this.#authenticate(url, challenge),
        }),
    );
  }

  /** @throws {WalletFault} when no relay answers, or none knows the wallet. */
  async info(signal: AbortSignal): Promise<WalletInfo> {
    const event = await this.#getInfoEvent(signal);
    const words = (text = '') => text.split(/[\s,]+/).filter((word) => word !== '');
    return { methods: words(event.content), notifications: words(tagOf(event, 'notifications')) };
  }

  /** @returns the reply's `result`. @throws {WalletFault} for its error, or when none comes. */
  async request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const encryption = encryptionOf(await this.#getInfoEvent(signal));
    const conversation = this.#conversations[encryption];
    const event = signEvent(
      {
        kind: kinds.request,
        created_at: this.#seconds(),
        tags: [['p', this.#connection.walletPubkey], ...(encryption === 'nip04' ? [] : [['encryption', encryption]])],
        content: conversation.encrypt(JSON.stringify({ method, params })),
      },
      this.#key,
    );
    const reply = readObject(await this.#exchange(event, conversation, signal));
    if (isObject(reply.error)) throw faultOf(reply.error);
    if (!isObject(reply.result)) throw new WalletFault('protocol', 'The wallet gave an answer that says nothing.');
    return reply.result;
  }

  /** Notifications as they come, after an undefined when the first relay listens. Throws when no relay is left. */
  async *notifications(signal: AbortSignal): AsyncGenerator<JsonObject | undefined> {
    const unread: (JsonObject | undefined)[] = [];
    let isLost = false;
    let ring = () => {};
    const listener = {
      notify(notification: JsonObject) {
        // What does not fit is found by the look-ups that go on beside this.
        if (unread.length < 1000) unread.push(notification);
        ring();
      },
      lost() {
        isLost = true;
        ring();
      },
    };
    const onAbort = () => listener.lost();
    this.#listeners.add(listener);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await this.#connect(signal);
      yield undefined;
      while (!isLost || unread.length > 0) {
        if (unread.length > 0) yield unread.shift();
        else {
          await new Promise<void>((resolve) => {
            ring = resolve;
            if (isLost || unread.length > 0) resolve();
          });
        }
      }
      throw new WalletFault('unreachable', 'The connection to every relay of the wallet was lost.');
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#listeners.delete(listener);
    }
  }

  close(): void {
    for (const relay of this.#relays) relay.close();
  }

  #subscriptions() {
    const from = { authors: [this.#connection.walletPubkey], since: this.#seconds() - 60 };
    return {
      replies: { ...from, kinds: [kinds.reply] },
      notifications: { ...from, kinds: [kinds.notification04, kinds.notification44], '#p': [this.#pubkey] },
    };
  }

  /** Resolves with the first relay that listens; the others go on connecting. */
  async #connect(signal: AbortSignal): Promise<void> {
    const connecting = this.#relays.map((relay) => relay.connect());
    await withinTime(Promise.any(connecting), replyMs, signal).catch((error: unknown) => {
      throw error instanceof AggregateError ? error.errors[0] : error;
    });
  }

  async #getInfoEvent(signal: AbortSignal): Promise<NostrEvent> {
    if (this.#infoEvent) return this.#infoEvent;
    const { walletPubkey: author } = this.#connection;
    this.#asking ??= this.#connect(new AbortController().signal)
      .then(() =>
        withinTime(
          Promise.any(
            this.#relays.map(async (relay) => {
              await relay.query('info', { authors: [author], kinds: [kinds.info], limit: 1 });
              if (!this.#infoEvent) throw new WalletFault('unreachable', 'The relay does not know this wallet.');
            }),
          ),
          infoMs,
        ),
      )
      .finally(() => {
        this.#asking = undefined;
      });
    await withinTime(this.#asking, replyMs, signal).catch((error: unknown) => {
      throw error instanceof AggregateError ? error.errors[0] : error;
    });
    return this.#infoEvent!;
  }

  async #exchange(event: NostrEvent, conversation: Conversation, signal: AbortSignal): Promise<string> {
    let again: NodeJS.Timeout | undefined;
    const send = () => {
      for (const relay of this.#relays) {
        relay.connect().then(
          () => relay.publish(event),
          () => {},
        );
      }
    };
    const answered = new Promise<string>((answer, fail) => {
      this.#waiting.set(event.id, { conversation, answer, fail });
    });
    answered.catch(() => {});
    try {
      await this.#connect(signal);
      send();
      again = setTimeout(send, sendAgainMs);
      return await withinTime(answered, replyMs, signal);
    } finally {
      clearTimeout(again);
      this.#waiting.delete(event.id);
    }
  }

  #onEvent(name: string, event: NostrEvent): void {
    if (event.pubkey !== this.#connection.walletPubkey) return;
    if (name === 'info') {
      const isNews = event.kind === kinds.info && event.created_at > (this.#infoEvent?.created_at ?? 0);
      if (isNews && isGenuine(event)) this.#infoEvent = event;
    } else if (event.kind === kinds.reply) {
      const waiting = this.#waiting.get(tagOf(event, 'e') ?? '');
      if (!waiting || !isGenuine(event)) return;
      try {
        waiting.answer(waiting.conversation.decrypt(event.content));
      } catch {
        waiting.fail(new WalletFault('protocol', 'The wallet gave an answer that cannot be decrypted.'));
      }
    } else {
      this.#onNotification(event);
    }
  }

  #onNotification(event: NostrEvent): void {
    const encryption = event.kind === kinds.notification44 ? 'nip44_v2' : 'nip04';
    if (this.#listeners.size === 0 || !isGenuine(event)) return;
    try {
      const notification = readObject(this.#conversations[encryption].decrypt(event.content));
      for (const listener of this.#listeners) listener.notify(notification);
    } catch {
      // Not written for us; a hint that is lost is made up for by the next look-up.
    }
  }

  #onClose(): void {
    if (this.#relays.some((relay) => relay.isOpen)) return;
    for (const listener of this.#listeners) listener.lost();
    for (const { fail } of this.#waiting.values()) {
      fail(new WalletFault('unreachable', 'The connection to every relay of the wallet was lost.'));
    }
  }

  #authenticate(relay: string, challenge: string): NostrEvent {
    const tags = [
      ['relay', relay],
      ['challenge', challenge],
    ];
    return signEvent({ kind: 22_242, created_at: this.#seconds(), tags, content: '' }, this.#key);
  }

  #seconds(): number {
    return Math.floor(this.#clock.now().getTime() / 1000);
  }
}

/** NIP-47: a wallet that names no encryption knows NIP-04 only. */
function encryptionOf(info: NostrEvent): EncryptionName {
  return /\bnip44_v2\b/.test(tagOf(info, 'encryption') ?? '') ? 'nip44_v2' : 'nip04';
}

const faultKinds: Readonly<Record<string, 'rate_limited' | 'unauthorized' | 'unreachable'>> = {
  RATE_LIMITED: 'rate_limited',
  UNAUTHORIZED: 'unauthorized',
  RESTRICTED: 'unauthorized',
  INTERNAL: 'unreachable',
};

/** The wallet's own refusal, with its code for those who know what it means. */
export class NwcError extends WalletFault {
  readonly code: string;

  constructor(code: string) {
    super(faultKinds[code] ?? 'refused', `The wallet refused with ${code}.`);
    this.code = code;
  }
}

function faultOf({ code }: JsonObject): NwcError {
  return new NwcError(typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'OTHER');
}

function readObject(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws {WalletFault} `unreachable` when time is up or the caller gives up. */
async function withinTime<T>(work: Promise<T>, millis: number, signal?: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  const over = new Promise<never>((_, reject) => {
    const fault = (text: string) => reject(new WalletFault('unreachable', text));
    timer = setTimeout(() => fault('The wallet did not answer over its relays in time.'), millis);
    onAbort = () => fault('The request to the wallet was given up.');
    if (signal?.aborted) onAbort();
    if (signal) setMaxListeners(0, signal);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  work.catch(() => {});
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
