import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import { parseBolt11Amount } from './bolt11-amount.ts';
import {
  Bolt11Error,
  defaultExpirySeconds,
  defaultMinFinalCltv,
  maximumSeconds,
  type Network,
  prefixes,
  signatureWords,
  tag,
  timestampWords,
} from './bolt11-format.ts';
import { wordsToBytes, wordsToNumber } from './bolt11-words.ts';
import { recoverPublicKey, verifyDigest } from './secp256k1.ts';

/** A decoded invoice whose signature was checked. Hashes and keys are lower-case hex. */
export interface Bolt11Invoice {
  /** The string in lower case, without a `lightning:` prefix. */
  readonly bolt11: string;
  readonly network: Network;
  /** null: the payer chooses the amount. */
  readonly amountMsat: bigint | null;
  readonly timestamp: Date;
  readonly expirySeconds: number;
  readonly expiresAt: Date;
  readonly paymentHash: string;
  readonly paymentSecret: string;
  /** Node that signed: the one named in the invoice, else the one recovered from the signature. */
  readonly payee: string;
  readonly description: string | undefined;
  readonly descriptionHash: string | undefined;
  /** Blocks. */
  readonly minFinalCltv: number;
  /** Numbers of the feature bits that are set, rising. */
  readonly features: readonly number[];
}

/** As many characters as fit into the largest QR code in alphanumeric mode: a longer invoice cannot be shown. */
const maximumLength = 4296;

/**
 * Required features that a payer of ours may be asked to know (BOLT 9, invoice context): variable onion, payment
 * secret, multi-part, blinded paths, attributable failures, payment metadata. AMP (bit 30) must stay out: its preimage does not
 * prove our payment hash.
 */
const knownRequired = new Set([8, 14, 16, 24, 36, 48]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Lower case, without surrounding blanks and without the `lightning:` prefix. Says nothing about validity. */
export function normaliseBolt11(text: string): string {
  return text
    .trim()
    .replace(/^lightning:/i, '')
    .toLowerCase();
}

/**
 * Reads and checks an invoice (BOLT 11), given in either case and with or without `lightning:`.
 * Fields of an unexpected length are skipped as the standard's vectors demand; one good payment hash and one good
 * payment secret must remain. An expired invoice decodes like any other: expiry is for those who pay or accept.
 */
export function decodeBolt11(text: string): Bolt11Invoice {
  const bare = text.trim().replace(/^lightning:/i, '');
  const { prefix, words } = decodeBech32(bare);
  const { network, amountMsat } = parsePrefix(prefix);
  if (words.length < timestampWords + signatureWords) throw new Bolt11Error('The invoice is too short.');

  const signed = words.slice(0, -signatureWords);
  const timestampSeconds = wordsToNumber(signed.slice(0, timestampWords));
  const fields = readFields(signed);
  const digest = createHash('sha256').update(prefix, 'utf8').update(wordsToBytes(signed, false)).digest();
  const payee = findPayee(digest, wordsToBytes(words.slice(-signatureWords), true), fields.get(tag.n));

  const paymentHash = hexField(fields, tag.p);
  const paymentSecret = hexField(fields, tag.s);
  if (!paymentHash) throw new Bolt11Error('The invoice has no payment hash.');
  if (!paymentSecret) throw new Bolt11Error('The invoice has no payment secret.');
  const expirySeconds = numberField(fields, tag.x, defaultExpirySeconds, maximumSeconds, 'expiry');
  return {
    bolt11: bare.toLowerCase(),
    network,
    amountMsat,
    timestamp: new Date(timestampSeconds * 1000),
    expirySeconds,
    expiresAt: new Date((timestampSeconds + expirySeconds) * 1000),
    paymentHash,
    paymentSecret,
    payee: payee.toString('hex'),
    description: readDescription(fields.get(tag.d)),
    descriptionHash: hexField(fields, tag.h),
    minFinalCltv: numberField(fields, tag.c, defaultMinFinalCltv, 0xffff_ffff, 'final CLTV delta'),
    features: readFeatures(fields.get(tag.features)),
  };
}

function decodeBech32(text: string): { prefix: string; words: number[] } {
  if (text.length > maximumLength) throw new Bolt11Error('The invoice is too long.');
  try {
    return bech32.decode(text as `${string}1${string}`, false);
  } catch {
    throw new Bolt11Error('The invoice is not a valid bech32 string: a character is wrong or missing.');
  }
}

function parsePrefix(prefix: string): { network: Network; amountMsat: bigint | null } {
  const known = prefixes.find(([start]) => prefix.startsWith(start));
  if (!known) throw new Bolt11Error('The invoice is for a network that is not known.');
  return { network: known[1], amountMsat: parseBolt11Amount(prefix.slice(known[0].length)) };
}

/** Fields that exist in one length only; the standard has readers skip them in any other. */
const fixedLengths = new Map<number, number>([
  [tag.p, 52],
  [tag.h, 52],
  [tag.s, 52],
  [tag.n, 53],
]);

/** First good field of each type: a writer puts the one it prefers first. */
function readFields(words: number[]): Map<number, number[]> {
  const fields = new Map<number, number[]>();
  for (let position = timestampWords; position < words.length; ) {
    const type = words[position]!;
    const length = (words[position + 1] ?? 0) * 32 + (words[position + 2] ?? 0);
    const end = position + 3 + length;
    if (end > words.length) throw new Bolt11Error('A field of the invoice is cut off.');
    if (!fields.has(type) && (fixedLengths.get(type) ?? length) === length) {
      fields.set(type, words.slice(position + 3, end));
    }
    position = end;
  }
  return fields;
}

/** With a named payee the signature must be its canonical one; otherwise the key is recovered, from either S. */
function findPayee(digest: Buffer, signature: Buffer, named: number[] | undefined): Buffer {
  const compact = signature.subarray(0, 64);
  if (named) {
    const publicKey = wordsToBytes(named, true);
    if (!verifyDigest(digest, publicKey, compact)) {
      throw new Bolt11Error('The signature of the invoice is not that of the node it names.');
    }
    return publicKey;
  }
  const recovered = recoverPublicKey(digest, compact, signature[64]!);
  if (!recovered) throw new Bolt11Error('The signature of the invoice is not valid.');
  return Buffer.from(recovered);
}

function readDescription(words: number[] | undefined): string | undefined {
  if (!words) return undefined;
  try {
    return utf8.decode(wordsToBytes(words, true));
  } catch {
    throw new Bolt11Error('The description in the invoice is not valid UTF-8.');
  }
}

function readFeatures(words: number[] | undefined): number[] {
  const features: number[] = [];
  for (const [index, word] of (words ?? []).toReversed().entries()) {
    for (let bit = 0; bit < 5; bit++) if (word & (1 << bit)) features.push(index * 5 + bit);
  }
  const unknown = features.find((bit) => bit % 2 === 0 && !knownRequired.has(bit));
  if (unknown !== undefined) throw new Bolt11Error(`The invoice requires feature ${unknown}, which is not known.`);
  return features;
}

function hexField(fields: Map<number, number[]>, type: number): string | undefined {
  const words = fields.get(type);
  return words && wordsToBytes(words, true).toString('hex');
}

function numberField(
  fields: Map<number, number[]>,
  type: number,
  fallback: number,
  maximum: number,
  name: string,
): number {
  const words = fields.get(type);
  if (!words) return fallback;
  const value = wordsToNumber(words);
  if (value > maximum) throw new Bolt11Error(`The ${name} of the invoice is out of range.`);
  return value;
}
