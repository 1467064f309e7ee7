/** What encoder and decoder share: names and numbers of BOLT 11. */

export type Network = 'mainnet' | 'testnet' | 'signet' | 'regtest';

/** `lnbcrt` before `lnbc` and `lntbs` before `lntb`: the longest prefix wins. */
export const prefixes: ReadonlyArray<readonly [prefix: string, network: Network]> = [
  ['lnbcrt', 'regtest'],
  ['lnbc', 'mainnet'],
  ['lntbs', 'signet'],
  ['lntb', 'testnet'],
];

/** Tagged field types by their letter, as 5-bit numbers. */
export const tag = { p: 1, x: 6, s: 16, d: 13, n: 19, h: 23, c: 24, features: 5 } as const;

export const defaultExpirySeconds = 3600;
export const defaultMinFinalCltv = 18;

/** 35 bits, the width of the timestamp; we hold the expiry to it as well so that the end of an invoice is a date. */
export const maximumSeconds = 2 ** 35 - 1;

/** 520 bits: r, s and one byte with the recovery id. */
export const signatureWords = 104;
export const timestampWords = 7;

/** An invoice that breaks BOLT 11. The message is a sentence that may be shown; it never quotes the invoice. */
export class Bolt11Error extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Bolt11Error';
  }
}
