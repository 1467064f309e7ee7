import type { Handle } from '../db/database.ts';
import type { Permission, Scope } from '../kernel/context.ts';
import { newId, randomBase62 } from '../kernel/ids.ts';
import { Secret } from '../kernel/secrets.ts';
import { insertApiKey, type KeyLimits } from '../store/api-keys.ts';
import { hashToken } from './hash-token.ts';

const secretCharacters = 40;
const shape = /^(sk|pk)_(live|test)_[0-9A-Za-z]{32,64}$/;

/** A key that may do all that its permissions allow. */
export const noLimits: KeyLimits = {
  allowed_tools: null,
  max_order_cents: null,
  max_daily_cents: null,
  products_only: false,
};

interface IssuedApiKey {
  id: string;
  /** Shown once; only its SHA-256 is kept. */
  key: Secret;
}

interface ApiKeyTerms {
  kind: 'secret' | 'publishable';
  name: string;
  permissions?: readonly Permission[] | null;
  ipRanges?: readonly string[] | null;
  rpmLimit?: number | null;
  limits?: KeyLimits;
}

/** Makes an API key for one merchant and mode. */
export async function issueApiKey(tx: Handle, scope: Scope, terms: ApiKeyTerms, now: Date): Promise<IssuedApiKey> {
  const id = newId();
  const prefix = `${terms.kind === 'secret' ? 'sk' : 'pk'}_${scope.livemode ? 'live' : 'test'}_`;
  const key = prefix + randomBase62(secretCharacters);
  await insertApiKey(tx, scope, {
    id,
    kind: terms.kind,
    name: terms.name,
    keyHash: hashToken(key),
    prefix,
    lastFour: key.slice(-4),
    permissions: terms.permissions ?? null,
    ipRanges: terms.ipRanges ?? null,
    rpmLimit: terms.rpmLimit ?? null,
    limits: terms.limits ?? noLimits,
    now,
  });
  return { id, key: new Secret(key) };
}

/** Whether `text` has the shape of a key, so that nothing else is looked up. */
export function looksLikeApiKey(text: string): boolean {
  return shape.test(text);
}
