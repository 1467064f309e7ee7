import { randomBytes } from 'node:crypto';
import type { Handle } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Scope } from '../kernel/context.ts';
import type { Sealer } from '../kernel/secrets.ts';
import { scopeText } from '../model/scope.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import { findAccessKey, insertAccessKeyOnce } from '../store/access-keys.ts';

const mostRemembered = 10_000;

/** The keys that sign the access tokens of a merchant in one mode. Random and kept: they do not follow from the secrets key. */
export interface AccessKeys {
  /** Undefined where no token was ever made. */
  find(scope: Scope): Promise<Buffer | undefined>;
  /** Made on first use. */
  require(scope: Scope): Promise<Buffer>;
}

export function createAccessKeys(db: Handle, sealer: Sealer, clock: Clock): AccessKeys {
  // A key never changes once it is made; each check of a token would read and open it again.
  const opened = new Map<string, Buffer>();

  async function find(scope: Scope): Promise<Buffer | undefined> {
    const { merchantId, livemode } = scope;
    const name = scopeText(scope);
    const known = opened.get(name);
    if (known) return known;
    const sealed = await findAccessKey(db, scope);
    if (!sealed) return undefined;
    if (opened.size >= mostRemembered) opened.clear();
    const key = sealer.open(sealed, sealedPlace('access_keys.key', merchantId, livemode));
    opened.set(name, key);
    return key;
  }

  return {
    find,
    async require(scope) {
      const known = await find(scope);
      if (known) return known;
      const sealed = sealer.seal(randomBytes(32), sealedPlace('access_keys.key', scope.merchantId, scope.livemode));
      await insertAccessKeyOnce(db, scope, sealed, clock.now());
      // Another process may have been first.
      return (await find(scope))!;
    },
  };
}
