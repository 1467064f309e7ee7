import { randomBytes } from 'node:crypto';
import type { Scope } from '../kernel/context.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import { findAccessKey, insertAccessKeyOnce } from '../store/access-keys.ts';
import type { Parts } from './parts.ts';

/** The key that signs the access tokens of a merchant in one mode; undefined where no token was ever made. */
export async function readAccessKey({ db, sealer }: Parts, scope: Scope): Promise<Buffer | undefined> {
  const sealed = await findAccessKey(db, scope);
  return sealed && sealer.open(sealed, placeOf(scope));
}

/** The same, made on first use. Random and kept: it does not hang on the secrets key, which may be rotated. */
export async function requireAccessKey(parts: Parts, scope: Scope): Promise<Buffer> {
  const known = await readAccessKey(parts, scope);
  if (known) return known;
  await insertAccessKeyOnce(parts.db, scope, parts.sealer.seal(randomBytes(32), placeOf(scope)), parts.clock.now());
  // Another process may have been first.
  return (await readAccessKey(parts, scope))!;
}

const placeOf = ({ merchantId, livemode }: Scope) => sealedPlace('access_keys.key', merchantId, livemode);
