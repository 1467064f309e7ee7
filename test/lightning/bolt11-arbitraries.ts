import fc from 'fast-check';
import type { Bolt11Fields } from '../../src/lightning/bolt11-encode.ts';

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));

/** Amounts of every unit as well as crooked ones. */
const amountMsat = fc.oneof(
  fc.bigInt({ min: 1n, max: 2_100_000_000_000_000_000n }),
  fc
    .tuple(fc.bigInt({ min: 1n, max: 9999n }), fc.constantFrom(1n, 100n, 1000n, 100_000n, 10n ** 8n, 10n ** 11n))
    .map(([count, unit]) => count * unit),
);

const description = fc
  .string({ unit: 'grapheme', maxLength: 60 })
  .filter((text) => Buffer.byteLength(text, 'utf8') <= 639);

/** Anything that our encoder accepts, on any network. */
export const bolt11Fields: fc.Arbitrary<Required<Bolt11Fields>> = fc.record({
  network: fc.constantFrom('mainnet', 'testnet', 'signet', 'regtest'),
  amountMsat: fc.option(amountMsat),
  timestamp: fc.integer({ min: 0, max: 2 ** 31 }).map((seconds) => new Date(seconds * 1000)),
  expirySeconds: fc.oneof(fc.integer({ min: 0, max: 100_000 }), fc.constant(3600), fc.constant(2 ** 31)),
  paymentHash: hash,
  paymentSecret: hash,
  describedBy: fc.oneof(
    description.map((text) => ({ description: text })),
    hash.map((descriptionHash) => ({ descriptionHash })),
  ),
  minFinalCltv: fc.integer({ min: 0, max: 2016 }),
  features: fc.constantFrom([8, 14, 17], [8, 14], [8, 14, 16], [9, 15, 17, 25], [8, 14, 99]),
});

/** Keys that are surely below the group order. */
export const privateKeys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => Buffer.from([1, ...bytes.subarray(1)]));
