import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Handle } from '../db/database.ts';
import type { Seal } from '../kernel/secrets.ts';
import { type SealedColumn, sealedColumns } from '../model/sealed-columns.ts';
import {
  countSealed,
  lockSealedOtherwise,
  type SealedCount,
  type SealedValue,
  writeSealed,
} from '../store/sealed-values.ts';
import { listOtherSealingKeys } from '../store/sealing-sessions.ts';
import { dropOtherSecretsChecks, lockSettings } from '../store/settings.ts';

const rowsAtOnce = 500;
const breathMillis = 100;
/** Rows that others hold are tried again this long. */
const patience = 100;

/** The secrets key cannot be changed now. The message says why and what to do. */
export class RotationRefused extends Error {}

export interface ColumnUse {
  readonly column: SealedColumn;
  readonly counts: readonly SealedCount[];
}

interface RotationOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (column: SealedColumn, sealedAnew: number) => void;
}

export interface Rotation {
  readonly columns: readonly { readonly column: SealedColumn; readonly sealedAnew: number }[];
  /** Values that no key at hand opens though they bear its name, as `table.column row`. They keep the rotation open. */
  readonly damaged: readonly string[];
}

/** Which secrets keys the values of every column are sealed under. Reads whole tables. */
export async function countSealedByKey(db: Handle): Promise<ColumnUse[]> {
  const uses: ColumnUse[] = [];
  for (const column of sealedColumns) uses.push({ column, counts: await countSealed(db, column) });
  return uses;
}

/**
 * @param keyId of the key that is to seal from now on. @param known ids of all keys at hand.
 * @throws {RotationRefused} while a running process seals under another key, or when a key is missing.
 */
export async function requireRotatable(db: Handle, keyId: string, known: ReadonlySet<string>): Promise<ColumnUse[]> {
  await requireOneSealingKey(db, keyId);
  const uses = await countSealedByKey(db);
  const missing = uses.flatMap(({ column, counts }) =>
    counts
      .filter((count) => !known.has(count.keyId))
      .map((count) => `${count.count} in ${column.table}.${column.column} under ${count.keyId}`),
  );
  if (missing.length === 0) return uses;
  throw new RotationRefused(
    `Values are sealed under a key that is not at hand: ${missing.join(', ')}. Name it in SECRETS_KEY_PREVIOUS. Nothing was changed.`,
  );
}

/**
 * Seals every value under the present key, a few rows at a time. Each step is whole by itself: killed at any moment, it goes
 * on where it was when it is run again, and all values can be read throughout by whoever holds both keys. At the end the
 * database forgets the other keys. @throws {RotationRefused}
 */
export async function rotateSecrets(db: Database, seal: Seal, options: RotationOptions): Promise<Rotation> {
  // Who has the old key alone could read nothing of what follows.
  await requireOneSealingKey(db, seal.keyId);
  const sealedAnew = new Map<SealedColumn, number>();
  for (let tries = 0; tries < patience; tries++) {
    const damaged: string[] = [];
    for (const column of sealedColumns) {
      for await (const step of sealColumn(db, seal, column)) {
        sealedAnew.set(column, (sealedAnew.get(column) ?? 0) + step.sealedAnew);
        damaged.push(...step.damaged);
        options.onProgress?.(column, sealedAnew.get(column)!);
        stopIfAsked(options.signal);
      }
    }
    const columns = sealedColumns.map((column) => ({ column, sealedAnew: sealedAnew.get(column) ?? 0 }));
    if (damaged.length > 0) return { columns, damaged };
    if (await endRotation(db, seal.keyId)) return { columns, damaged };
    await sleep(breathMillis);
    stopIfAsked(options.signal);
  }
  throw new RotationRefused('Some rows are held by transactions that do not end. Run it again to go on with those.');
}

async function* sealColumn(db: Database, seal: Seal, column: SealedColumn) {
  for (let after: readonly string[] | undefined; ; ) {
    const step = await db.transaction((tx) => sealSomeRows(tx, seal, column, after));
    if (step.rows > 0) yield step;
    if (step.rows < rowsAtOnce) return;
    after = step.last;
  }
}

async function sealSomeRows(tx: Handle, seal: Seal, column: SealedColumn, after: readonly string[] | undefined) {
  const values = await lockSealedOtherwise(tx, column, seal.keyId, after, rowsAtOnce);
  const anew: SealedValue[] = [];
  const damaged: string[] = [];
  for (const { key, sealed } of values) {
    const place = { table: column.table, column: column.column, row: key.join(column.separator) };
    try {
      anew.push({ key, sealed: seal.seal(seal.open(sealed, place), place) });
    } catch {
      damaged.push(`${place.table}.${place.column} ${place.row}`);
    }
  }
  if (anew.length > 0) await writeSealed(tx, column, anew);
  return { rows: values.length, last: values.at(-1)?.key, sealedAnew: anew.length, damaged };
}

/** @returns false while values are left, such as those in rows that somebody held. */
function endRotation(db: Database, keyId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    // A process that starts now waits, and then finds the old key gone; one that has started is seen.
    await lockSettings(tx);
    await requireOneSealingKey(tx, keyId);
    const uses = await countSealedByKey(tx);
    if (uses.some(({ counts }) => counts.some((count) => count.keyId !== keyId))) return false;
    await dropOtherSecretsChecks(tx, keyId);
    return true;
  });
}

async function requireOneSealingKey(db: Handle, keyId: string): Promise<void> {
  const others = await listOtherSealingKeys(db, keyId);
  if (others.length === 0) return;
  throw new RotationRefused(
    `A running Satline seals under another key, ${others.join(', ')}; this command has ${keyId}. Start every process with ` +
      'the new key in SECRETS_KEY and the old one in SECRETS_KEY_PREVIOUS, then run it again.',
  );
}

function stopIfAsked(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new RotationRefused('Stopped on the way. Everything can be read with both keys; run it again to go on.');
}
