import type { Clock } from '../../kernel/clock.ts';
import type { JsonObject } from '../../kernel/json-object.ts';
import type { Outbound } from '../../kernel/outbound.ts';
import { WalletFault } from '../connector.ts';
import { xOnlyPublicKeyOf } from '../secp256k1.ts';
import { type Conversation, type EncryptionName, openConversations } from './encryption.ts';
import { Feed } from './feed.ts';
import { isGenuine, type NostrEvent, signEvent, tagOf } from './nostr-event.ts';
import { Relays } from './relays.ts';
import { readObject, readReply } from './reply.ts';
import { withinTime } from './within-time.ts';

export interface NwcConnection {
  readonly relays: readonly string[];
  /** The wallet's key, 32 bytes of hex. */
  readonly walletPubkey: string;
  /** Our key for this connection, 32 bytes of hex. */
  readonly secret: string;
}

/** What the wallet publishes about itself (kind 13194). */
interface WalletInfo {
  readonly methods: readonly string[];
  readonly notifications: readonly string[];
}

const kinds = { info: 13_194, request: 23_194, reply: 23_195, notification04: 23_196, notification44: 23_197 };
/** The wallet may not have been listening yet. It knows a request by its id, so that sending it again does nothing twice. */
const sendAgainMillis = 3000;
const replyMillis = 10_000;
const infoMillis = 5000;
/** The wallet's clock may be behind, and a relay may have kept what came while we were away. */
const sinceSeconds = 600;
/** How often relays that were lost are tried again while others carry the stream. */
const reviveMillis = 30_000;
/** Notifications remembered, so that what comes over several relays is told once. */
const mostSeen = 1000;

interface Waiting {
  readonly request: NostrEvent;
  readonly conversation: Conversation;
  answer(text: string): void;
  fail(fault: WalletFault): void;
}

/**
 * The client's side of NIP-47 over all relays of a connection: whatever comes first counts, and one relay is enough.
 * Replies are matched by the request they name, because wallets leave the `p` tag out.
 */
export class NwcClient {
  readonly #walletPubkey: string;
  readonly #key: Buffer;
  readonly #pubkey: string;
  readonly #clock: Clock;
  readonly #relays: Relays;
  readonly #conversations: Record<EncryptionName, Conversation>;
  readonly #waiting = new Map<string, Waiting>();
  readonly #feeds = new Set<Feed<JsonObject | undefined>>();
  readonly #seen = new Set<string>();
  #infoEvent: NostrEvent | undefined;
  #asking: Promise<NostrEvent> | undefined;

  constructor(connection: NwcConnection, outbound: Outbound, clock: Clock) {
    this.#walletPubkey = connection.walletPubkey;
    this.#clock = clock;
    this.#key = Buffer.from(connection.secret, 'hex');
    this.#pubkey = Buffer.from(xOnlyPublicKeyOf(this.#key)).toString('hex');
    this.#conversations = openConversations(this.#key, Buffer.from(connection.walletPubkey, 'hex'));
    this.#relays = new Relays({
      urls: connection.relays,
      open: (url) => outbound.socket({ url }),
      subscriptions: () => this.#subscriptions(),
      onEvent: (name, event) => this.#onEvent(name, event),
      onReady: (publish) => {
        for (const { request } of this.#waiting.values()) publish(request);
      },
      onListening: (name) => {
        if (name === 'notifications') for (const feed of this.#feeds) feed.put(undefined);
      },
      onLost: () => this.#onLost(),
      authenticate: (url, challenge) => this.#introduce(url, challenge),
    });
  }

  /** What the wallet says of itself now. @throws {WalletFault} when no relay answers, or none knows the wallet. */
  async info(signal: AbortSignal): Promise<WalletInfo> {
    const event = await withinTime(this.#askForInfo(), replyMillis, signal);
    const words = (text = '') => text.split(/[\s,]+/).filter((word) => word !== '');
    return { methods: words(event.content), notifications: words(tagOf(event, 'notifications')) };
  }

  /** @returns the reply's `result`. @throws {WalletFault} for its error, or when none comes. */
  async request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const encryption = encryptionOf(this.#infoEvent ?? (await withinTime(this.#askForInfo(), replyMillis, signal)));
    const conversation = this.#conversations[encryption];
    const event = this.#sign(
      kinds.request,
      [['p', this.#walletPubkey], ...(encryption === 'nip04' ? [] : [['encryption', encryption]])],
      conversation.encrypt(JSON.stringify({ method, params })),
    );
    return readReply(await this.#exchange(event, conversation, signal));
  }

  /**
   * Notifications as they come, and undefined each time that a relay begins to listen: what came before may have been
   * missed. Throws when no relay is left.
   */
  async *notifications(signal: AbortSignal): AsyncGenerator<JsonObject | undefined> {
    const feed = new Feed<JsonObject | undefined>();
    const onAbort = () => feed.end();
    const revive = () => void this.#relays.connect().catch(() => {});
    const reviving = setInterval(revive, reviveMillis);
    if (this.#relays.isOpen) feed.put(undefined);
    this.#feeds.add(feed);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await withinTime(this.#relays.connect(), replyMillis, signal);
      yield* feed.read();
      throw lostFault();
    } finally {
      clearInterval(reviving);
      signal.removeEventListener('abort', onAbort);
      this.#feeds.delete(feed);
    }
  }

  close(): void {
    this.#relays.close();
  }

  #subscriptions() {
    const from = { authors: [this.#walletPubkey], since: this.#seconds() - sinceSeconds };
    return {
      replies: { ...from, kinds: [kinds.reply] },
      notifications: { ...from, kinds: [kinds.notification04, kinds.notification44], '#p': [this.#pubkey] },
    };
  }

  /** Many may ask at once. */
  #askForInfo(): Promise<NostrEvent> {
    const filter = { authors: [this.#walletPubkey], kinds: [kinds.info], limit: 1 };
    this.#asking ??= this.#relays
      .connect()
      .then(() =>
        withinTime(
          this.#relays.query('info', filter, () => this.#infoEvent),
          infoMillis,
          never,
        ),
      )
      .finally(() => {
        this.#asking = undefined;
      });
    return this.#asking;
  }

  async #exchange(request: NostrEvent, conversation: Conversation, signal: AbortSignal): Promise<string> {
    let again: NodeJS.Timeout | undefined;
    const answered = new Promise<string>((answer, fail) => {
      this.#waiting.set(request.id, { request, conversation, answer, fail });
    });
    answered.catch(() => {});
    try {
      // What opens from here on sends it by itself.
      this.#relays.publish(request);
      await withinTime(this.#relays.connect(), replyMillis, signal);
      again = setTimeout(() => this.#relays.publish(request), sendAgainMillis);
      return await withinTime(answered, replyMillis, signal);
    } finally {
      clearTimeout(again);
      this.#waiting.delete(request.id);
    }
  }

  #onEvent(name: string, event: NostrEvent): void {
    if (event.pubkey !== this.#walletPubkey) return;
    if (name === 'info') {
      const isNews = event.kind === kinds.info && event.created_at > (this.#infoEvent?.created_at ?? 0);
      if (isNews && isGenuine(event)) this.#infoEvent = event;
    } else if (event.kind === kinds.reply) this.#onReply(event);
    else this.#onNotification(event);
  }

  #onReply(event: NostrEvent): void {
    const named = event.tags.find(([name, id = '']) => name === 'e' && this.#waiting.has(id));
    if (!named || !isGenuine(event)) return;
    const waiting = this.#waiting.get(named[1]!)!;
    try {
      waiting.answer(waiting.conversation.decrypt(event.content));
    } catch {
      waiting.fail(new WalletFault('protocol', 'The wallet gave an answer that cannot be decrypted.'));
    }
  }

  #onNotification(event: NostrEvent): void {
    const encryption = event.kind === kinds.notification44 ? 'nip44_v2' : 'nip04';
    if (this.#feeds.size === 0 || this.#seen.has(event.id) || !isGenuine(event)) return;
    this.#seen.add(event.id);
    if (this.#seen.size > mostSeen) this.#seen.delete(this.#seen.values().next().value!);
    try {
      const notification = readObject(this.#conversations[encryption].decrypt(event.content));
      for (const feed of this.#feeds) feed.put(notification);
    } catch {
      // Not written for us; a hint that is lost is made up for by the next look-up.
    }
  }

  #onLost(): void {
    for (const feed of this.#feeds) feed.end();
    for (const { fail } of this.#waiting.values()) fail(lostFault());
  }

  #introduce(relay: string, challenge: string): NostrEvent {
    const tags = [
      ['relay', relay],
      ['challenge', challenge],
    ];
    return this.#sign(22_242, tags, '');
  }

  #sign(kind: number, tags: readonly (readonly string[])[], content: string): NostrEvent {
    return signEvent({ kind, created_at: this.#seconds(), tags, content }, this.#key);
  }

  #seconds(): number {
    return Math.floor(this.#clock.now().getTime() / 1000);
  }
}

const never = new AbortController().signal;

/** NIP-47: a wallet that names no encryption knows NIP-04 only. */
function encryptionOf(info: NostrEvent): EncryptionName {
  return /\bnip44_v2\b/.test(tagOf(info, 'encryption') ?? '') ? 'nip44_v2' : 'nip04';
}

function lostFault(): WalletFault {
  return new WalletFault('unreachable', 'The connection to every relay of the wallet was lost.');
}
