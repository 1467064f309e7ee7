/** The transaction that pays for a channel, built by hand: the fake chain checks no signatures. */
import { randomBytes } from 'node:crypto';

/**
 * One input from nowhere, one output of `valueSats` to `script`. LDK insists on a segwit input with a witness; the
 * random outpoint keeps two channels of the same size from sharing a transaction id.
 */
export function fundingTransaction(valueSats: bigint, script: Uint8Array): Uint8Array {
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(valueSats);
  const bytes = Buffer.concat([
    Buffer.from([2, 0, 0, 0]), // version
    Buffer.from([0, 1]), // segwit marker and flag
    Buffer.from([1]), // inputs
    randomBytes(32), // spent transaction
    Buffer.from([0, 0, 0, 0]), // spent output
    Buffer.from([0]), // empty input script
    Buffer.from([0xff, 0xff, 0xff, 0xff]), // sequence
    Buffer.from([1]), // outputs
    value,
    Buffer.from([script.length]), // 34 for a pay-to-witness-script-hash, so one byte is enough
    script,
    Buffer.from([1, 1, 0]), // witness: one element of one byte
    Buffer.from([0, 0, 0, 0]), // lock time
  ]);
  return new Uint8Array(bytes);
}
