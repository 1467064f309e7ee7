import { randomBytes } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Handle } from './db/database.ts';
import { createSealer, type Sealer } from './kernel/secrets.ts';
import { findSetting, insertSettingOnce } from './store/settings.ts';

/** The setting that tells a wrong secrets key. */
export const secretsCheckName = 'secrets_check';
const checkPlace = { table: 'settings', column: 'value', row: secretsCheckName };
const checkText = 'satline';

/** The secrets key does not belong to this database, or is missing. The message says what to do. */
export class SecretsKeyError extends Error {
  override readonly name = 'SecretsKeyError';
}

/**
 * The sealer under the configured secrets key, or the one in `DATA_DIR/secrets.key`, made on first use. A value sealed in
 * the database tells a wrong key at start instead of at the first wallet call. @throws {SecretsKeyError}
 */
export async function openSealer(db: Handle, config: Pick<Config, 'dataDir' | 'secretsKey'>): Promise<Sealer> {
  const check = await findSetting(db, secretsCheckName);
  const sealer = createSealer(
    config.secretsKey ?? (await keyFromFile(join(config.dataDir, 'secrets.key'), check !== undefined)),
  );
  if (check === undefined) {
    await insertSettingOnce(db, secretsCheckName, sealer.seal(checkText, checkPlace));
    // Another process may have been first, with another key: what is in the database decides.
    return verify(sealer, (await findSetting(db, secretsCheckName))!);
  }
  return verify(sealer, check);
}

function verify(sealer: Sealer, check: Buffer): Sealer {
  try {
    sealer.open(check, checkPlace);
    return sealer;
  } catch (cause) {
    throw new SecretsKeyError(
      'The secrets key is not the one this database was sealed with. Put back the old SECRETS_KEY or secrets.key; ' +
        'without it, connected wallets must be connected anew.',
      { cause },
    );
  }
}

async function keyFromFile(path: string, mustExist: boolean): Promise<Buffer> {
  try {
    const key = Buffer.from((await readFile(path, 'utf8')).trim(), 'hex');
    if (key.length !== 32) throw new SecretsKeyError(`${path} does not hold 32 bytes in hex`);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (mustExist) throw new SecretsKeyError(`${path} is missing, but the database was sealed with it. Put it back.`);
  const key = randomBytes(32);
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${key.toString('hex')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return key;
}
