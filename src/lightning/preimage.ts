import { createHash } from 'node:crypto';

/** The preimage in lower-case hex when it is one and hashes to the payment hash; otherwise undefined. */
export function provesHash(preimage: unknown, paymentHash: string): string | undefined {
  if (typeof preimage !== 'string' || !/^[0-9a-f]{64}$/i.test(preimage)) return undefined;
  const hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex');
  return hash === paymentHash ? preimage.toLowerCase() : undefined;
}
