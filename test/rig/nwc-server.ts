/** A wallet that speaks NIP-47 in front of one node, and the relay that it is reached over. */
import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import { type EncryptionName, openConversations } from '../../src/lightning/nwc/encryption.ts';
import {
  isGenuine,
  type NostrEvent,
  readEvent,
  signEvent,
  tagOf,
  type Unsigned,
} from '../../src/lightning/nwc/nostr-event.ts';
import { xOnlyPublicKeyOf } from '../../src/lightning/secp256k1.ts';
import { type BookedInvoice, type ReceivingNode, WalletBook } from './wallet-book.ts';
import { jsonAnswer, startWalletServer, type WalletCall, type WalletServer } from './wallet-server.ts';

export interface NwcServer extends WalletServer {
  readonly relay: string;
  readonly walletPubkey: string;
  /** Of a connection that may make and look up invoices. */
  readonly secret: string;
  /** Of one that may pay as well. */
  readonly spendingSecret: string;
  /** What the wallet knows; `nip04` for an old one. */
  encryption: EncryptionName;
  /** How often each notification is sent; 0: it is lost. */
  notifications: number;
  /** The whole connection string. */
  uri(): string;
}

const receiving = ['get_info', 'make_invoice', 'lookup_invoice', 'list_transactions'];

export async function startNwcServer(node: ReceivingNode): Promise<NwcServer> {
  const book = new WalletBook(node);
  const key = randomBytes(32);
  const pubkeyOf = (secret: string) => Buffer.from(xOnlyPublicKeyOf(Buffer.from(secret, 'hex'))).toString('hex');
  const [walletPubkey, secret, spendingSecret] = [
    pubkeyOf(key.toString('hex')),
    randomBytes(32).toString('hex'),
    randomBytes(32).toString('hex'),
  ] as const;
  const connections = new Map([
    [pubkeyOf(secret), receiving],
    [pubkeyOf(spendingSecret), [...receiving, 'pay_invoice']],
  ]);
  const calls: WalletCall[] = [];
  const subscriptions = new Map<WebSocket, Map<string, Record<string, unknown>>>();
  const answered = new Set<string>();

  const base = await startWalletServer(() => jsonAnswer({ name: 'relay' }), { socket });

  function socket(_call: WalletCall, opened: WebSocket): boolean {
    const mine = new Map<string, Record<string, unknown>>();
    subscriptions.set(opened, mine);
    opened.on('close', () => subscriptions.delete(opened));
    opened.on('message', (data) => {
      const [word, first, filter] = JSON.parse(String(data));
      if (word === 'REQ') {
        mine.set(first, filter);
        if (fits(filter, info())) opened.send(JSON.stringify(['EVENT', first, info()]));
        opened.send(JSON.stringify(['EOSE', first]));
      } else if (word === 'CLOSE') mine.delete(first);
      else if (word === 'EVENT') {
        const event = readEvent(first);
        if (!event || !isGenuine(event)) return;
        opened.send(JSON.stringify(['OK', event.id, true, '']));
        serve(event);
      }
    });
    return true;
  }

  function publish(event: NostrEvent): void {
    for (const [opened, filters] of subscriptions) {
      for (const [name, filter] of filters) {
        if (fits(filter, event)) opened.send(JSON.stringify(['EVENT', name, event]));
      }
    }
  }

  const sign = (event: Omit<Unsigned, 'created_at'>) =>
    signEvent({ ...event, created_at: Math.floor(node.now().getTime() / 1000) }, key);

  function info(): NostrEvent {
    return sign({
      kind: 13_194,
      tags: [
        ...(server.encryption === 'nip04' ? [] : [['encryption', 'nip44_v2 nip04']]),
        ['notifications', 'payment_received payment_sent'],
      ],
      content: [...receiving, 'pay_invoice', 'notifications'].join(' '),
    });
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
    const content = conversation.encrypt(
      JSON.stringify({ result_type: method, ...answer(event.pubkey, method, params) }),
    );
    // Without a `p` tag, as some wallets leave it out.
    publish(sign({ kind: 23_195, tags: [['e', event.id]], content }));
  }

  const conversationWith = (pubkey: string) => openConversations(key, Buffer.from(pubkey, 'hex'));

  function answer(pubkey: string, method: string, params: Record<string, unknown>) {
    const error = (code: string) => ({ error: { code, message: '<b>no</b>' } });
    const methods = connections.get(pubkey);
    if (!methods) return error('UNAUTHORIZED');
    if (server.outage === 'fail') return error('INTERNAL');
    if (!methods.includes(method)) return error('RESTRICTED');
    if (method === 'get_info') return { result: { alias: 'Rig', network: 'regtest', methods } };
    if (method === 'make_invoice') {
      return {
        result: shown(
          book.make({
            amountMsat: BigInt(Number(params.amount)),
            description: String(params.description),
            expirySeconds: Number(params.expiry),
          }),
        ),
      };
    }
    const invoice = book.find(String(params.payment_hash));
    return invoice ? { result: shown(invoice) } : error('NOT_FOUND');
  }

  function shown(invoice: BookedInvoice) {
    const received = book.received(invoice);
    const seconds = (date: Date) => Math.floor(date.getTime() / 1000);
    return {
      type: 'incoming',
      state: received ? 'settled' : book.hasExpired(invoice) ? 'expired' : 'pending',
      invoice: invoice.bolt11,
      payment_hash: invoice.paymentHash,
      amount: Number(received?.receivedMsat ?? invoice.amountMsat),
      preimage: received?.preimage ?? '',
      created_at: seconds(invoice.createdAt),
      expires_at: seconds(invoice.expiresAt),
      settled_at: received ? seconds(received.settledAt) : 0,
    };
  }

  let isOver = false;
  book.onPaid(
    (invoice) => {
      const client = pubkeyOf(secret);
      const kind = server.encryption === 'nip04' ? 23_196 : 23_197;
      const text = JSON.stringify({ notification_type: 'payment_received', notification: shown(invoice) });
      const content = conversationWith(client)[server.encryption].encrypt(text);
      for (let time = 0; time < server.notifications; time++) publish(sign({ kind, tags: [['p', client]], content }));
    },
    () => isOver,
  );

  const relay = base.url.replace(/^http/, 'ws');
  const server: NwcServer = Object.assign(base, {
    calls,
    relay,
    walletPubkey,
    secret,
    spendingSecret,
    encryption: 'nip44_v2' as EncryptionName,
    notifications: 1,
    uri: () => `nostr+walletconnect://${walletPubkey}?relay=${encodeURIComponent(relay)}&secret=${secret}`,
    stop: ((stop) => async () => {
      isOver = true;
      await stop();
    })(base.stop),
  });
  return server;
}

/** Whether an event is what a filter asks for (NIP-01). */
function fits(filter: Record<string, unknown>, event: NostrEvent): boolean {
  const has = (values: unknown, value: string | number | undefined) =>
    values === undefined || (values as unknown[]).includes(value);
  return (
    has(filter.kinds, event.kind) &&
    has(filter.authors, event.pubkey) &&
    has(filter['#p'], tagOf(event, 'p')) &&
    has(filter['#e'], tagOf(event, 'e')) &&
    event.created_at >= Number(filter.since ?? 0)
  );
}
