import { randomBytes } from 'node:crypto';
import type { Handle } from './db/database.ts';
import { createSeal, createSealer, type Seal, type Sealer, sealedUnder, secretsKeyId } from './kernel/secrets.ts';
import { sealedPlace } from './model/sealed-columns.ts';
import { SecretsKeyError, type SecretsKeys } from './secrets-keys.ts';
import { findSetting, insertSetting, listSecretsChecks, lockSettings, type Setting } from './store/settings.ts';

const checkText = 'satline';
const installationSecretName = 'installation_secret';

/**
 * The sealer under these keys, in a transaction of its own. For each key that values may be sealed under the database has a
 * check, so that a wrong or missing one is told at start instead of at the first wallet call. @throws {SecretsKeyError}
 */
export async function openSealer(tx: Handle, keys: SecretsKeys): Promise<Sealer> {
  // Processes that start together follow each other, and none starts while a rotation drops the checks of old keys.
  await lockSettings(tx);
  const checks = await listSecretsChecks(tx);
  requireKeys(keys, checks);
  const seal = createSeal(keys.current, keys.previous);
  const name = `secrets_check ${seal.keyId}`;
  if (!checks.some(({ value }) => sealedUnder(value) === seal.keyId)) {
    await insertSetting(tx, name, seal.seal(checkText, sealedPlace('settings.value', name)));
  }
  return createSealer(seal, await requireInstallationSecret(tx, seal, keys, checks));
}

/** A sealer to build parts with while the database that its keys are checked against is opening. */
interface LateSealer extends Sealer {
  /** Until then it refuses to work. */
  become(opened: Sealer): void;
}

export function createLateSealer(): LateSealer {
  let sealer: Sealer | undefined;
  function opened(): Sealer {
    if (!sealer) throw new Error('The secrets key has not been checked yet');
    return sealer;
  }
  return {
    become(checked) {
      sealer = checked;
    },
    get keyId() {
      return opened().keyId;
    },
    seal: (plain, place) => opened().seal(plain, place),
    open: (sealed, place) => opened().open(sealed, place),
    deriveKey: (purpose) => opened().deriveKey(purpose),
  };
}

/** @throws {SecretsKeyError} unless the keys open everything that is sealed in a database with these checks. */
export function requireKeys({ current, previous }: SecretsKeys, checks: readonly Setting[]): void {
  const seal = createSeal(current, previous);
  const shut = checks.filter(({ key, value }) => {
    try {
      return seal.open(value, sealedPlace('settings.value', key)).toString() !== checkText;
    } catch {
      return true;
    }
  });
  if (shut.length === 0) return;
  if (shut.length === checks.length) {
    throw new SecretsKeyError(
      'The secrets key is not the one this database was sealed with. Put back the old SECRETS_KEY or secrets.key; ' +
        'without it, connected wallets must be connected anew. To change the key, name the old one in SECRETS_KEY_PREVIOUS.',
    );
  }
  const ids = shut.map(({ value }) => sealedUnder(value) ?? 'unknown').join(', ');
  throw new SecretsKeyError(
    `Some values in this database are sealed under another secrets key, ${ids}. ` +
      'Name it in SECRETS_KEY_PREVIOUS until "satline secrets rotate" has sealed them anew.',
  );
}

/** What derived keys follow from. Kept sealed, because they must stay what they are when the secrets key is another. */
async function requireInstallationSecret(
  tx: Handle,
  seal: Seal,
  keys: SecretsKeys,
  checks: readonly Setting[],
): Promise<Buffer> {
  const place = sealedPlace('settings.value', installationSecretName);
  const known = await findSetting(tx, installationSecretName);
  if (known) return seal.open(known, place);
  const secret = firstSecretsKey(keys, checks) ?? randomBytes(32);
  await insertSetting(tx, installationSecretName, seal.seal(secret, place));
  return secret;
}

/** In databases from before there was an installation secret, derived keys follow from the secrets key of then. */
function firstSecretsKey({ current, previous }: SecretsKeys, checks: readonly Setting[]): Buffer | undefined {
  const first = checks.find(({ key }) => key === 'secrets_check');
  return first && [current, ...previous].find((key) => secretsKeyId(key) === sealedUnder(first.value));
}
