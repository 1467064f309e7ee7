import { createHash, randomBytes } from 'node:crypto';
import { signDigestBip340, verifyDigestBip340, xOnlyPublicKeyOf } from '../secp256k1.ts';

/** A signed Nostr event (NIP-01). Keys, ids and signatures are lower-case hex. */
export interface NostrEvent {
  readonly id: string;
  readonly pubkey: string;
  readonly created_at: number;
  readonly kind: number;
  readonly tags: readonly (readonly string[])[];
  readonly content: string;
  readonly sig: string;
}

export type Unsigned = Pick<NostrEvent, 'kind' | 'tags' | 'content' | 'created_at'>;

/** Gives an event its author, id and signature (NIP-01, BIP 340). */
export function signEvent(event: Unsigned, privateKey: Uint8Array): NostrEvent {
  const pubkey = Buffer.from(xOnlyPublicKeyOf(privateKey)).toString('hex');
  const digest = digestOf({ ...event, pubkey });
  const sig = Buffer.from(signDigestBip340(digest, privateKey, randomBytes(32))).toString('hex');
  return { ...event, pubkey, id: digest.toString('hex'), sig };
}

/** What a relay sent, when it has the shape of an event. Whether it is genuine is another question. */
export function readEvent(value: unknown): NostrEvent | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, pubkey, created_at, kind, tags, content, sig } = value as Record<string, unknown>;
  const isEvent =
    isHex(id, 32) &&
    isHex(pubkey, 32) &&
    isHex(sig, 64) &&
    Number.isSafeInteger(created_at) &&
    Number.isSafeInteger(kind) &&
    typeof content === 'string' &&
    Array.isArray(tags) &&
    tags.every((tag) => Array.isArray(tag) && tag.every((part) => typeof part === 'string'));
  return isEvent ? (value as NostrEvent) : undefined;
}

/** Whether the event is what its author signed: relays are strangers. */
export function isGenuine(event: NostrEvent): boolean {
  const digest = digestOf(event);
  const [publicKey, signature] = [Buffer.from(event.pubkey, 'hex'), Buffer.from(event.sig, 'hex')];
  return digest.toString('hex') === event.id && verifyDigestBip340(digest, publicKey, signature);
}

/** The first value of an event's first tag of this name. */
export function tagOf(event: NostrEvent, name: string): string | undefined {
  return event.tags.find(([first]) => first === name)?.[1];
}

function digestOf({ pubkey, created_at, kind, tags, content }: Omit<NostrEvent, 'id' | 'sig'>): Buffer {
  const text = JSON.stringify([0, pubkey, created_at, kind, tags, content]);
  return createHash('sha256').update(text).digest();
}

function isHex(value: unknown, bytes: number): boolean {
  return typeof value === 'string' && value.length === bytes * 2 && /^[0-9a-f]*$/.test(value);
}
