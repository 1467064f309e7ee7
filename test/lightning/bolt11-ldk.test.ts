import fc from 'fast-check';
import { Bolt11Invoice, Option_u64Z_Some, Result_Bolt11InvoiceParseOrSemanticErrorZ_OK } from 'lightningdevkit';
import { beforeAll, expect, test } from 'vitest';
import { decodeBolt11 } from '../../src/lightning/bolt11.ts';
import { encodeBolt11 } from '../../src/lightning/bolt11-encode.ts';
import { loadLdk } from '../rig/ldk.ts';
import { bolt11Fields, privateKeys } from './bolt11-arbitraries.ts';
import { validVectors } from './bolt11-vectors.ts';

beforeAll(loadLdk);

function readWithLdk(text: string) {
  const result = Bolt11Invoice.constructor_from_str(text);
  if (!(result instanceof Result_Bolt11InvoiceParseOrSemanticErrorZ_OK)) return undefined;
  const invoice = result.res;
  const amount = invoice.amount_milli_satoshis();
  return {
    amountMsat: amount instanceof Option_u64Z_Some ? amount.some : null,
    paymentHash: Buffer.from(invoice.payment_hash()).toString('hex'),
    paymentSecret: Buffer.from(invoice.payment_secret()).toString('hex'),
    payee: Buffer.from(invoice.get_payee_pub_key()).toString('hex'),
    timestamp: new Date(Number(invoice.duration_since_epoch()) * 1000),
    expirySeconds: Number(invoice.expiry_time()),
    minFinalCltv: Number(invoice.min_final_cltv_expiry_delta()),
  };
}

test('reads our invoices as we do', () => {
  // Two things that LDK does not read: features without their dependencies, and more pico-BTC than 64 bits hold.
  const readable = bolt11Fields.filter(
    ({ features, amountMsat }) => features[0] === 8 && (amountMsat ?? 0n) * 10n < 2n ** 64n,
  );
  const property = fc.property(readable, privateKeys, (fields, key) => {
    const text = encodeBolt11(fields, key);
    expect(decodeBolt11(text)).toMatchObject(readWithLdk(text) ?? { unreadable: text });
  });
  fc.assert(property, { numRuns: 50 });
});

test('reads the official vectors as we do, but for the high-S one that it does not know yet', () => {
  const agreed = validVectors.filter(({ text }) => {
    const read = readWithLdk(text);
    if (read) expect(decodeBolt11(text)).toMatchObject(read);
    return read;
  });
  expect(agreed.length).toBe(15);
});
