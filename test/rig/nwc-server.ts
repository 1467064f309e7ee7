/** A wallet that speaks NIP-47 in front of one node, and the relays that it is reached over. */
import { randomBytes } from 'node:crypto';
import { type EncryptionName, openConversations } from '../../src/lightning/nwc/encryption.ts';
import { type NostrEvent, signEvent, tagOf, type Unsigned } from '../../src/lightning/nwc/nostr-event.ts';
import { xOnlyPublicKeyOf } from '../../src/lightning/secp256k1.ts';
import { NwcDesk, nwcError } from './nwc-desk.ts';
import { type RelayServer, startRelay } from './relay.ts';
import { type ReceivingNode, WalletBook } from './wallet-book.ts';
import type { WalletCall, WalletServer } from './wallet-server.ts';

export interface NwcServer extends WalletServer {
  readonly relays: readonly RelayServer[];
  readonly walletPubkey: string;
  /** Of a connection that may make and look up invoices. */
  readonly secret: string;
  /** Of one that may pay as well. */
  readonly spendingSecret: string;
  /** What the wallet knows; `nip04` for an old one. */
  encryption: EncryptionName;
  /** An event that replies name before the request they answer. */
  alsoNamed: string | undefined;
  /** The whole connection string. */
  uri(secret?: string): string;
}

const receiving = ['get_info', 'make_invoice', 'lookup_invoice', 'list_transactions'];
const all = [...receiving, 'pay_invoice', 'notifications'];

/** @param count of relays. */
export async function startNwcServer(node: ReceivingNode, count = 1): Promise<NwcServer> {
  const book = new WalletBook(node);
  const desk = new NwcDesk(book);
  const key = randomBytes(32);
  const pubkeyOf = (secret: string) => Buffer.from(xOnlyPublicKeyOf(Buffer.from(secret, 'hex'))).toString('hex');
  const walletPubkey = pubkeyOf(key.toString('hex'));
  const [secret, spendingSecret] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const connections = new Map([
    [pubkeyOf(secret), receiving],
    [pubkeyOf(spendingSecret), [...receiving, 'pay_invoice']],
  ]);
  const calls: WalletCall[] = [];
  const answered = new Set<string>();
  const relays = await Promise.all(Array.from({ length: count }, startRelay));
  let encryption: EncryptionName = 'nip44_v2';
  let isOver = false;

  const conversationWith = (pubkey: string) => openConversations(key, Buffer.from(pubkey, 'hex'));
  const sign = (event: Omit<Unsigned, 'created_at'>) =>
    signEvent({ ...event, created_at: Math.floor(node.now().getTime() / 1000) }, key);

  function publish(event: NostrEvent): void {
    // The library's type lets tags be changed.
    for (const relay of relays) relay.publish({ ...event, tags: event.tags.map((tag) => [...tag]) });
  }

  function publishInfo(): void {
    const encryptions = encryption === 'nip04' ? [] : [['encryption', 'nip44_v2 nip04']];
    const tags = [...encryptions, ['notifications', 'payment_received payment_sent']];
    publish(sign({ kind: 13_194, tags, content: all.join(' ') }));
  }

  function serve(event: NostrEvent): void {
    if (event.kind !== 23_194 || tagOf(event, 'p') !== walletPubkey || answered.has(event.id)) return;
    if (server.outage === 'hang') return;
    answered.add(event.id);
    const conversation = conversationWith(event.pubkey)[
      tagOf(event, 'encryption') === 'nip44_v2' ? 'nip44_v2' : 'nip04'
    ];
    const text = conversation.decrypt(event.content);
    calls.push({ method: 'NWC', path: '', query: new URLSearchParams(), headers: {}, body: text });
    const { method, params } = JSON.parse(text);
    const reply =
      server.outage === 'fail' ? nwcError('INTERNAL') : desk.answer(connections.get(event.pubkey), method, params);
    // Without a `p` tag, as some wallets leave it out.
    const content = conversation.encrypt(JSON.stringify({ result_type: method, ...reply }));
    const named = [...(server.alsoNamed ? [server.alsoNamed] : []), event.id];
    publish(sign({ kind: 23_195, tags: named.map((id) => ['e', id]), content }));
  }

  const server: NwcServer = {
    url: relays[0]!.url,
    relays,
    calls,
    walletPubkey,
    secret,
    spendingSecret,
    alsoNamed: undefined,
    pushes: () => [0],
    uri: (of = secret) =>
      `nostr+walletconnect://${walletPubkey}?${relays.map(({ address }) => `relay=${encodeURIComponent(address)}&`).join('')}secret=${of}`,
    get encryption() {
      return encryption;
    },
    set encryption(name) {
      encryption = name;
      publishInfo();
    },
    get outage() {
      return relays[0]!.outage;
    },
    set outage(outage) {
      for (const relay of relays) relay.outage = outage;
    },
    cut() {
      for (const relay of relays) relay.cut();
    },
    async stop() {
      isOver = true;
      await Promise.all(relays.map((relay) => relay.stop()));
    },
  };
  book.onPaid(
    (invoice) => {
      const client = pubkeyOf(secret);
      const text = JSON.stringify({ notification_type: 'payment_received', notification: desk.shown(invoice) });
      const content = conversationWith(client)[encryption].encrypt(text);
      publish(sign({ kind: encryption === 'nip04' ? 23_196 : 23_197, tags: [['p', client]], content }));
    },
    () => isOver,
    server,
  );
  for (const relay of relays) relay.onPublish(serve);
  publishInfo();
  return server;
}
