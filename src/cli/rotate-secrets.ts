import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import {
  type ColumnUse,
  countSealedByKey,
  type Rotation,
  RotationRefused,
  requireRotatable,
  rotateSecrets,
} from '../flows/rotate-secrets.ts';
import { secretsKeyId } from '../kernel/secrets.ts';
import { openSealer, requireKeys } from '../open-sealer.ts';
import { readSecretsKeys, type SecretsKeys, writeSecretsKeys } from '../secrets-keys.ts';
import { listSecretsChecks } from '../store/settings.ts';
import { addCommand, type ConfigContext, withConfig } from './command.ts';
import { checkMigrations } from './doctor/check-database.ts';
import { CliFailure } from './failure.ts';
import { hasDatabase, openDatabase } from './open.ts';
import { counted, type Outcome, table } from './output.ts';

interface Options {
  dryRun?: boolean;
}

export function addRotateSecrets(group: Command): void {
  addCommand(
    group,
    'rotate',
    'Seal everything under a new secrets key; safe to stop at any moment and to run again',
    'secrets rotate --dry-run',
    'secrets rotate   # SECRETS_KEY is the new key, SECRETS_KEY_PREVIOUS the old one; with DATA_DIR/secrets.key a key is made',
  )
    .option('--dry-run', 'only count what is sealed under which key; change nothing')
    .action(
      withConfig<Options>(async (context, { dryRun }) => {
        const { config, progress } = context;
        if (!hasDatabase(config)) throw new CliFailure(`There is no database in ${config.dataDir}; nothing is sealed.`);
        progress.show('Opening the database');
        const db = await openDatabase(config);
        try {
          await requireSchema(db);
          return dryRun ? await look(db, config) : await rotate(db, context);
        } catch (error) {
          if (error instanceof RotationRefused) throw new CliFailure(error.message, { cause: error });
          throw error;
        } finally {
          await db.close();
        }
      }),
    );
}

async function requireSchema(db: Database): Promise<void> {
  const { status, found, advice } = await checkMigrations(db);
  if (status !== 'ok') throw new CliFailure(`${found} ${advice}`);
}

async function look(db: Database, config: Config): Promise<Outcome> {
  const keys = await readSecretsKeys(config, true);
  requireKeys(keys, await listSecretsChecks(db));
  const uses = await countSealedByKey(db);
  const keyId = secretsKeyId(keys.current);
  const makesKey = config.secretsKey === undefined && keys.previous.length === 0;
  const waiting = sum(uses, (id) => makesKey || id !== keyId);
  const columns = uses.flatMap(({ column, counts }) =>
    counts.map((one) => ({ table: column.table, column: column.column, key_id: one.keyId, values: one.count })),
  );
  const lines = columns.map((one) => [`${one.table}.${one.column}`, one.key_id, String(one.values)]);
  const target = makesKey ? 'a new key, which the command makes' : `key ${keyId}`;
  return {
    json: { object: 'secrets_rotation', dry_run: true, key_id: makesKey ? null : keyId, to_seal: waiting, columns },
    text: `${table(['COLUMN', 'KEY', 'VALUES'], lines)}\n\nTo be sealed anew under ${target}: ${counted(waiting, 'value')}. ${howTo(waiting)}`,
  };
}

async function rotate(db: Database, { config, progress, signal }: ConfigContext): Promise<Outcome> {
  const isFile = config.secretsKey === undefined;
  const keys = withNewKey(await readSecretsKeys(config, true), isFile);
  const keyId = secretsKeyId(keys.current);
  requireKeys(keys, await listSecretsChecks(db));
  progress.show('Counting what is sealed');
  const uses = await requireRotatable(db, keyId, new Set([keys.current, ...keys.previous].map(secretsKeyId)));
  // Both keys are on the disk before anything is sealed under the new one.
  if (isFile) await writeSecretsKeys(config, keys);
  const sealer = await db.transaction((tx) => openSealer(tx, keys));
  const totals = new Map(uses.map((use) => [use.column, sum([use], (id) => id !== keyId)]));
  const rotation = await rotateSecrets(db, sealer, {
    signal,
    onProgress: (column, done) =>
      progress.show(`Sealing ${column.table}.${column.column}: ${done} of ${totals.get(column) ?? done}`),
  });
  const isEnded = rotation.damaged.length === 0;
  if (isFile && isEnded) await writeSecretsKeys(config, { current: keys.current, previous: [] });
  return outcomeOf(rotation, keyId, keys, isFile);
}

/** A file gets its new key from us; whoever sets the environment brings one. */
function withNewKey(keys: SecretsKeys, isFile: boolean): SecretsKeys {
  return isFile && keys.previous.length === 0 ? { current: randomBytes(32), previous: [keys.current] } : keys;
}

function outcomeOf({ columns, damaged }: Rotation, keyId: string, keys: SecretsKeys, isFile: boolean): Outcome {
  const sealedAnew = columns.reduce((total, one) => total + one.sealedAnew, 0);
  const json = {
    object: 'secrets_rotation',
    dry_run: false,
    key_id: keyId,
    sealed_anew: sealedAnew,
    columns: columns.map(({ column, sealedAnew: count }) => ({
      table: column.table,
      column: column.column,
      sealed_anew: count,
    })),
    damaged,
  };
  if (damaged.length > 0) {
    const list = damaged.slice(0, 20).join('\n    ');
    const text = `Sealed under key ${keyId} now: ${counted(sealedAnew, 'value')}. No key opens these, so the old one stays in use:\n    ${list}\nPut them back from a backup or remove them, then run it again.`;
    return { json, text, failed: true };
  }
  const rest = isFile
    ? 'secrets.key holds the new key alone: back it up. Backups of the database from before need the old one.'
    : keys.previous.length > 0
      ? 'SECRETS_KEY_PREVIOUS may go; backups of the database from before still need that key.'
      : howTo(sealedAnew);
  return {
    json,
    text: `All is sealed under key ${keyId}; ${counted(sealedAnew, 'value')} sealed anew. ${rest}`.trimEnd(),
  };
}

function howTo(count: number): string {
  if (count > 0) return '';
  return 'To change the key, put a new one in SECRETS_KEY (openssl rand -hex 32), the present one in SECRETS_KEY_PREVIOUS, start Satline again and run this command.';
}

function sum(uses: readonly ColumnUse[], counts: (keyId: string) => boolean): number {
  return uses.flatMap((use) => use.counts).reduce((total, one) => total + (counts(one.keyId) ? one.count : 0), 0);
}
