import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import { formatBolt11Amount } from './bolt11-amount.ts';
import {
  Bolt11Error,
  defaultExpirySeconds,
  defaultMinFinalCltv,
  maximumSeconds,
  type Network,
  prefixes,
  tag,
  timestampWords,
} from './bolt11-format.ts';
import { bytesToWords, numberToWords, wordsToBytes } from './bolt11-words.ts';
import { signDigest } from './secp256k1.ts';

/** What goes into an invoice. Hashes are 64 hex characters. */
export interface Bolt11Fields {
  readonly network: Network;
  /** null: the payer chooses. */
  readonly amountMsat: bigint | null;
  /** Cut to whole seconds. */
  readonly timestamp: Date;
  /** Default 3600. */
  readonly expirySeconds?: number;
  readonly paymentHash: string;
  readonly paymentSecret: string;
  /** The text itself, or the SHA-256 of a text that the payer gets elsewhere. */
  readonly describedBy: { readonly description: string } | { readonly descriptionHash: string };
  /** Blocks; default 18, always written because the standard demands the field. */
  readonly minFinalCltv?: number;
  /** Feature bits to set; default variable onion, payment secret (both required) and multi-part (optional for the payer). */
  readonly features?: readonly number[];
}

/** 1023 words of 5 bits: what the length of one field can say. */
export const maximumDescriptionBytes = 639;

const defaultFeatures = [8, 14, 17];

/**
 * Writes and signs an invoice in lower case (BOLT 11), in the field order and with the minimal lengths that LDK
 * writes as well. The payee is not named, so that readers recover it from the signature.
 */
export function encodeBolt11(fields: Bolt11Fields, privateKey: Uint8Array): string {
  const prefix = prefixes.find(([, network]) => network === fields.network)![0] + formatBolt11Amount(fields.amountMsat);
  const words = [
    ...numberToWords(seconds(fields.timestamp.getTime() / 1000, 'timestamp'), timestampWords),
    ...field(tag.p, hashWords(fields.paymentHash, 'payment hash')),
    ...field(tag.s, hashWords(fields.paymentSecret, 'payment secret')),
    ...descriptionField(fields.describedBy),
    ...expiryField(fields.expirySeconds ?? defaultExpirySeconds),
    ...field(tag.c, numberToWords(fields.minFinalCltv ?? defaultMinFinalCltv)),
    ...featuresField(fields.features ?? defaultFeatures),
  ];
  const digest = createHash('sha256').update(prefix, 'utf8').update(wordsToBytes(words, false)).digest();
  const { compact, recoveryId } = signDigest(digest, privateKey);
  const signature = bytesToWords(Buffer.concat([compact, Buffer.of(recoveryId)]));
  return bech32.encode(prefix, words.concat(signature), false);
}

function field(type: number, data: number[]): number[] {
  return [type, ...numberToWords(data.length, 2), ...data];
}

function hashWords(hex: string, name: string): number[] {
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Bolt11Error(`The ${name} must be 64 hex characters.`);
  return bytesToWords(Buffer.from(hex, 'hex'));
}

function descriptionField(described: Bolt11Fields['describedBy']): number[] {
  if ('descriptionHash' in described) return field(tag.h, hashWords(described.descriptionHash, 'description hash'));
  const bytes = Buffer.from(described.description, 'utf8');
  if (bytes.length > maximumDescriptionBytes) {
    throw new Bolt11Error(`The description is longer than ${maximumDescriptionBytes} bytes.`);
  }
  return field(tag.d, bytesToWords(bytes));
}

function expiryField(expirySeconds: number): number[] {
  if (expirySeconds === defaultExpirySeconds) return [];
  return field(tag.x, numberToWords(seconds(expirySeconds, 'expiry')));
}

function featuresField(features: readonly number[]): number[] {
  if (features.length === 0) return [];
  const words = new Array<number>(Math.floor(Math.max(...features) / 5) + 1).fill(0);
  for (const bit of features) words[words.length - 1 - Math.floor(bit / 5)]! |= 1 << (bit % 5);
  return field(tag.features, words);
}

function seconds(value: number, name: string): number {
  const whole = Math.floor(value);
  if (!(whole >= 0 && whole <= maximumSeconds)) throw new Bolt11Error(`The ${name} is out of range.`);
  return whole;
}
