import type { Handle } from '../db/database.ts';
import { newId } from '../kernel/ids.ts';
import { type AuditEntry, hashAuditEntry } from '../model/audit-entry.ts';
import { findUserOfKey } from '../store/api-keys.ts';
import { insertAuditEntry, lockAuditLog, walkAuditLog } from '../store/audit-log.ts';

export type NewAuditEntry = Omit<AuditEntry, 'id' | 'number' | 'user_id'>;

/**
 * Writes who changed what, in the transaction of the change and as its last step: the log of one merchant is locked until
 * the commit.
 */
export async function recordAudit(tx: Handle, entry: NewAuditEntry): Promise<void> {
  const userId = entry.api_key_id === null ? null : await findUserOfKey(tx, entry.api_key_id);
  const last = await lockAuditLog(tx, entry.merchant_id);
  const whole = { ...entry, id: newId(), user_id: userId, number: (last?.number ?? 0) + 1 };
  await insertAuditEntry(tx, { ...whole, hash: hashAuditEntry(whole, last?.hash ?? null) });
}

/** The same for what is changed with the command line. */
export function recordOperatorAudit(
  tx: Handle,
  change: { merchantId: string; action: string; subjectId: string | null; livemode?: boolean; now: Date },
): Promise<void> {
  return recordAudit(tx, {
    merchant_id: change.merchantId,
    livemode: change.livemode ?? null,
    actor: 'operator',
    api_key_id: null,
    action: change.action,
    subject_id: change.subjectId,
    request_id: null,
    created_at: change.now,
  });
}

const stepSize = 1000;

/**
 * Reads a merchant's log from its first entry and works every hash out anew. What is missing at the end cannot be seen:
 * keep the last hash elsewhere to compare.
 * @returns how many entries hold, the last hash, and the number of the first that is altered or missing.
 */
export async function verifyAuditLog(
  db: Handle,
  merchantId: string,
): Promise<{ count: number; lastHash: string | null; brokenAt: number | null }> {
  let previous: Buffer | null = null;
  let count = 0;
  while (true) {
    const rows = await walkAuditLog(db, merchantId, count, stepSize);
    for (const row of rows) {
      const holds = row.number === count + 1 && hashAuditEntry(row, previous).equals(row.hash);
      if (!holds) return { count, lastHash: previous?.toString('hex') ?? null, brokenAt: count + 1 };
      previous = row.hash;
      count = row.number;
    }
    if (rows.length < stepSize) return { count, lastHash: previous?.toString('hex') ?? null, brokenAt: null };
  }
}
