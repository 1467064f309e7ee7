import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { readIfThere } from './kernel/read-if-there.ts';
import { replaceFile } from './kernel/replace-file.ts';
import { openingTrouble } from './opening-trouble.ts';

/** The secrets keys of a process, 32 bytes each. */
export interface SecretsKeys {
  /** Seals and opens. */
  readonly current: Buffer;
  /** Only open. */
  readonly previous: readonly Buffer[];
}

/** The secrets keys do not belong to this database, are missing or cannot be read. The message says what to do. */
export class SecretsKeyError extends Error {
  override readonly name = 'SecretsKeyError';
}

type KeyConfig = Pick<Config, 'dataDir' | 'secretsKey' | 'previousSecretsKeys'>;

/**
 * The keys of the environment, or of `DATA_DIR/secrets.key`: one a line in hex, the first one seals.
 * @param mustExist without it the file is made on first use. @throws {SecretsKeyError}
 */
export async function readSecretsKeys(config: KeyConfig, mustExist: boolean): Promise<SecretsKeys> {
  const { secretsKey, previousSecretsKeys } = config;
  if (secretsKey) return { current: secretsKey, previous: previousSecretsKeys };
  const path = keyFile(config);
  const known = await readIfThere(path).catch((cause) => {
    throw new SecretsKeyError(openingTrouble(cause, undefined), { cause });
  });
  if (known !== undefined) return parse(known, path);
  if (mustExist) throw new SecretsKeyError(`${path} is missing, but the database was sealed with it. Put it back.`);
  const keys = { current: randomBytes(32), previous: [] };
  await writeSecretsKeys(config, keys);
  return keys;
}

/** Writes `DATA_DIR/secrets.key`, whole or not at all. */
export async function writeSecretsKeys(config: KeyConfig, { current, previous }: SecretsKeys): Promise<void> {
  await replaceFile(keyFile(config), [current, ...previous].map((key) => `${key.toString('hex')}\n`).join(''));
}

function parse(text: string, path: string): SecretsKeys {
  const [current, ...previous] = text
    .trim()
    .split(/\s+/)
    .map((line) => Buffer.from(line, 'hex'));
  if ([current!, ...previous].some((key) => key.length !== 32)) {
    throw new SecretsKeyError(`${path} does not hold 32 bytes in hex on each line. Put back the one that was there.`);
  }
  return { current: current!, previous };
}

function keyFile({ dataDir }: KeyConfig): string {
  return join(dataDir, 'secrets.key');
}
