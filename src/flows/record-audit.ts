import type { Handle } from '../db/database.ts';
import { newId } from '../kernel/ids.ts';
import { type AuditEntry, hashAuditEntry } from '../model/audit-entry.ts';
import { insertAuditEntry, lockAuditLog, walkAuditLog } from '../store/audit-log.ts';
import { findUserOfKey } from '../store/device-keys.ts';
import { listMembershipsOf } from '../store/users.ts';

type NewAuditEntry = Omit<AuditEntry, 'id' | 'number' | 'user_id'> & {
  /** Left out: whose device the API key is of. */
  user_id?: string;
};

/**
 * Writes who changed what, in the transaction of the change and as its last step: the log of one merchant is locked until
 * the commit.
 */
export async function recordAudit(tx: Handle, entry: NewAuditEntry): Promise<void> {
  const ofKey = entry.api_key_id === null ? null : await findUserOfKey(tx, entry.api_key_id);
  const last = await lockAuditLog(tx, entry.merchant_id);
  const whole = { ...entry, id: newId(), user_id: entry.user_id ?? ofKey, number: (last?.number ?? 0) + 1 };
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

/** The same for what somebody does who is known by a sign-in or a link. */
export function recordUserAudit(
  tx: Handle,
  change: {
    merchantId: string;
    userId: string;
    action: string;
    subjectId: string;
    requestId: string;
    livemode?: boolean;
    now: Date;
  },
): Promise<void> {
  return recordAudit(tx, {
    merchant_id: change.merchantId,
    livemode: change.livemode ?? null,
    actor: 'user',
    api_key_id: null,
    user_id: change.userId,
    action: change.action,
    subject_id: change.subjectId,
    request_id: change.requestId,
    created_at: change.now,
  });
}

/**
 * Writes what was done to somebody's account into the log of every merchant they work for. One after the other and in the
 * order of their ids: each log stays locked until the commit, and two changes must not wait for each other.
 * @param by the request of the person; left out: the operator did it.
 */
export async function recordAccountAudit(
  tx: Handle,
  change: { userId: string; action: string; by?: { requestId: string }; now: Date },
): Promise<void> {
  const { userId, action, by, now } = change;
  const merchantIds = (await listMembershipsOf(tx, userId)).map(({ merchant_id }) => merchant_id).toSorted();
  for (const merchantId of merchantIds) {
    const entry = { merchantId, action, subjectId: userId, now };
    await (by ? recordUserAudit(tx, { ...entry, userId, requestId: by.requestId }) : recordOperatorAudit(tx, entry));
  }
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
