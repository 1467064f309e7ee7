/** A Nostr relay (NIP-01, 09 to 16 as far as kinds go, 42) on loopback. Signatures are checked by another party's code. */
import { randomBytes } from 'node:crypto';
import { type NostrEvent, verifyEvent } from 'nostr-tools';
import type { WebSocket } from 'ws';
import { jsonAnswer, startWalletServer, type WalletServer } from './wallet-server.ts';

export interface RelayServer extends WalletServer {
  /** `ws://127.0.0.1:port` */
  readonly address: string;
  /** Everything that was published and was genuine, oldest first. */
  readonly events: readonly NostrEvent[];
  /** Open subscriptions of all visitors. */
  readonly subscriptionCount: number;
  /** Asks who they are of all that come from now on, and turns strangers away. */
  requiresAuth: boolean;
  /** How long an event takes to those who subscribed, in milliseconds. */
  delayMillis: number;
  /** How often it is sent to them. */
  copies: number;
  /** From a wallet that shares the process. */
  publish(event: NostrEvent): void;
  /** Calls `listener` with all that others publish. */
  onPublish(listener: (event: NostrEvent) => void): void;
}

type Filter = Record<string, unknown>;

const stranger = 'auth-required: tell who you are';

interface Visitor {
  readonly socket: WebSocket;
  readonly challenge: string;
  isKnown: boolean;
  readonly filters: Map<string, readonly Filter[]>;
}

export async function startRelay(): Promise<RelayServer> {
  const visitors = new Set<Visitor>();
  const events: NostrEvent[] = [];
  const stored: NostrEvent[] = [];
  const listeners: ((event: NostrEvent) => void)[] = [];
  const base = await startWalletServer(() => jsonAnswer({ name: 'relay' }), { socket });

  function socket(_call: unknown, opened: WebSocket): boolean {
    const challenge = randomBytes(8).toString('hex');
    const visitor: Visitor = { socket: opened, challenge, isKnown: !relay.requiresAuth, filters: new Map() };
    visitors.add(visitor);
    opened.on('close', () => visitors.delete(visitor));
    opened.on('message', (data) => receive(visitor, JSON.parse(String(data))));
    if (!visitor.isKnown) say(visitor, 'AUTH', visitor.challenge);
    return true;
  }

  function receive(visitor: Visitor, [word, first, ...rest]: [string, unknown, ...unknown[]]): void {
    if (word === 'AUTH') introduce(visitor, first as NostrEvent);
    else if (word === 'CLOSE') visitor.filters.delete(String(first));
    else if (word === 'REQ') subscribe(visitor, String(first), rest as Filter[]);
    else if (word === 'EVENT') take(visitor, first as NostrEvent);
  }

  function subscribe(visitor: Visitor, name: string, filters: Filter[]): void {
    if (!visitor.isKnown) {
      say(visitor, 'CLOSED', name, stranger);
      return;
    }
    visitor.filters.set(name, filters);
    for (const event of stored) {
      if (filters.some((filter) => fits(filter, event))) sayLater(visitor, 'EVENT', name, event);
    }
    sayLater(visitor, 'EOSE', name);
  }

  /** A relay takes an event once, whoever sends it again. */
  function take(visitor: Visitor, event: NostrEvent): void {
    const isNew = !events.some(({ id }) => id === event.id);
    const fault = !visitor.isKnown ? stranger : !verifyEvent(event) ? 'invalid: signature' : '';
    say(visitor, 'OK', event.id, fault === '', isNew ? fault : 'duplicate: known');
    if (fault !== '' || !isNew) return;
    publish(event);
    for (const listener of listeners) listener(event);
  }

  function introduce(visitor: Visitor, event: NostrEvent): void {
    const has = (name: string, value: string) => event.tags.some(([tag, said]) => tag === name && said === value);
    visitor.isKnown =
      event.kind === 22_242 && verifyEvent(event) && has('challenge', visitor.challenge) && has('relay', relay.address);
    say(visitor, 'OK', event.id, visitor.isKnown, visitor.isKnown ? '' : 'restricted: not you');
  }

  function publish(event: NostrEvent): void {
    events.push(event);
    // Ephemeral kinds are passed on and forgotten; of a replaceable kind the newest is kept.
    if (event.kind < 20_000) {
      const earlier = stored.findIndex(({ kind, pubkey }) => kind === event.kind && pubkey === event.pubkey);
      if (earlier >= 0 && event.kind >= 10_000) stored.splice(earlier, 1);
      stored.push(event);
    }
    for (const visitor of visitors) {
      for (const [name, filters] of visitor.filters) {
        if (!filters.some((filter) => fits(filter, event))) continue;
        for (let copy = 0; copy < relay.copies; copy++) sayLater(visitor, 'EVENT', name, event);
      }
    }
  }

  function sayLater(visitor: Visitor, ...message: unknown[]): void {
    if (relay.outage === 'hang') return;
    if (relay.delayMillis === 0) say(visitor, ...message);
    else setTimeout(() => say(visitor, ...message), relay.delayMillis).unref();
  }

  const extras = {
    address: base.url.replace(/^http/, 'ws'),
    events,
    requiresAuth: false,
    delayMillis: 0,
    copies: 1,
    publish,
    onPublish: (listener: (event: NostrEvent) => void) => void listeners.push(listener),
  };
  const relay: RelayServer = Object.defineProperty(
    Object.assign(base, extras, { subscriptionCount: 0 }),
    'subscriptionCount',
    {
      get: () => [...visitors].reduce((count, { filters }) => count + filters.size, 0),
    },
  );
  return relay;
}

function say({ socket }: Visitor, ...message: unknown[]): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message));
}

/** Whether an event is what a filter asks for (NIP-01). */
function fits(filter: Filter, event: NostrEvent): boolean {
  const has = (values: unknown, ...candidates: (string | number)[]) =>
    values === undefined || candidates.some((candidate) => (values as unknown[]).includes(candidate));
  const tagged = (name: string) => event.tags.filter(([tag]) => tag === name).map(([, value]) => String(value));
  return (
    has(filter.kinds, event.kind) &&
    has(filter.authors, event.pubkey) &&
    has(filter.ids, event.id) &&
    has(filter['#p'], ...tagged('p')) &&
    has(filter['#e'], ...tagged('e')) &&
    event.created_at >= Number(filter.since ?? 0)
  );
}
