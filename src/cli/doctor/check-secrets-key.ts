import type { Config } from '../../config.ts';
import type { Handle } from '../../db/database.ts';
import { countSealedByKey } from '../../flows/rotate-secrets.ts';
import { sealedUnder, secretsKeyId } from '../../kernel/secrets.ts';
import { requireKeys } from '../../open-sealer.ts';
import { readSecretsKeys, SecretsKeyError, type SecretsKeys } from '../../secrets-keys.ts';
import { listSecretsChecks, type Setting } from '../../store/settings.ts';
import { type Check, ok, trouble, troubleOf } from './check.ts';

const name = 'secrets key';

/** Needs an up-to-date schema. */
export async function checkSecretsKey(db: Handle, config: Config): Promise<Check> {
  const checks = await listSecretsChecks(db);
  if (checks.length === 0) return ok(name, 'Nothing is sealed yet; the first start takes the key it finds.');
  try {
    const keys = await readSecretsKeys(config, true);
    requireKeys(keys, checks);
    return await checkUse(db, keys, checks);
  } catch (error) {
    if (error instanceof SecretsKeyError) return troubleOf(name, error.message);
    throw error;
  }
}

/** How many values are sealed under which key, and whether a rotation is under way. */
async function checkUse(db: Handle, { current, previous }: SecretsKeys, checks: readonly Setting[]): Promise<Check> {
  const keyId = secretsKeyId(current);
  const counts = new Map<string, number>();
  for (const one of (await countSealedByKey(db)).flatMap((use) => use.counts)) {
    counts.set(one.keyId, (counts.get(one.keyId) ?? 0) + one.count);
  }
  const list = [...counts].map(([id, count]) => `${count} under ${id}`).join(', ');
  const known = [current, ...previous].map(secretsKeyId);
  if ([...counts.keys()].some((id) => !known.includes(id))) {
    const found = `Values are sealed under a key that is not at hand: ${list}.`;
    return trouble(name, found, 'Name that key in SECRETS_KEY_PREVIOUS, then run "satline secrets rotate".');
  }
  if (checks.some(({ value }) => sealedUnder(value) !== keyId)) {
    const found = `It is being changed; values are sealed: ${list}.`;
    return ok(name, found, 'Run "satline secrets rotate"; until then both keys are needed.');
  }
  const found = 'It is the one that this database is sealed with.';
  return previous.length === 0
    ? ok(name, found)
    : ok(name, found, 'SECRETS_KEY_PREVIOUS seals nothing any more and may be dropped.');
}
