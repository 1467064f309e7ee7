import { type Handle, statement } from '../db/database.ts';

export interface IdempotencyRow {
  operation: string;
  input_hash: string;
  state: 'started' | 'done';
  token: string;
  leased: boolean;
  frozen: Buffer | null;
  status: number | null;
  answer: Buffer | null;
  /** Whether it counts no more. */
  over: boolean;
}

const tryLock = statement(
  'idempotency_try_lock',
  `select pg_try_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0)) as locked`,
);
const find = statement(
  'idempotency_find',
  // What a call that died had frozen is not gone on with after a quarter of an hour: its rate is as old. Nothing of it
  // was committed, so the next call starts anew.
  `select operation, input_hash, state, token, lease_until > clock_timestamp() as leased, frozen, status, answer,
          created_at <= $3 or (state = 'started' and lease_until <= clock_timestamp() - interval '15 minutes') as over
     from idempotency_keys where credential_id = $1 and key = $2`,
);
const insertDone = statement(
  'idempotency_insert_done',
  `insert into idempotency_keys
     (credential_id, key, operation, input_hash, state, token, lease_until, status, answer, created_at)
   values ($1, $2, $3, $4, 'done', $5, clock_timestamp(), $6, $7, $8)`,
);
const insertStarted = statement(
  'idempotency_insert_started',
  `insert into idempotency_keys
     (credential_id, key, operation, input_hash, state, token, lease_until, frozen, created_at)
   values ($1, $2, $3, $4, 'started', $5, clock_timestamp() + make_interval(secs => $6), $7, $8)`,
);
const takeOver = statement(
  'idempotency_take_over',
  `update idempotency_keys set token = $3, lease_until = clock_timestamp() + make_interval(secs => $4)
    where credential_id = $1 and key = $2 and state = 'started' and lease_until <= clock_timestamp()`,
);
const finish = statement(
  'idempotency_finish',
  `update idempotency_keys set state = 'done', frozen = null
    where credential_id = $1 and key = $2 and token = $3 and state = 'started'`,
);
const keep = statement(
  'idempotency_keep_answer',
  'update idempotency_keys set status = $3, answer = $4 where credential_id = $1 and key = $2',
);
const abandon = statement(
  'idempotency_abandon',
  `delete from idempotency_keys where credential_id = $1 and key = $2 and token = $3 and state = 'started'`,
);
const forget = statement('idempotency_forget', 'delete from idempotency_keys where credential_id = $1 and key = $2');

/** Whether this transaction is now the only one that works on the key. */
export async function lockIdempotencyKey(db: Handle, credentialId: string, key: string): Promise<boolean> {
  return (await db.maybeOne<{ locked: boolean }>(tryLock, [credentialId, key]))!.locked;
}

/** @param before a row made at or before this is over, as is one whose call died long ago. */
export function findIdempotencyKey(
  db: Handle,
  credentialId: string,
  key: string,
  before: Date,
): Promise<IdempotencyRow | undefined> {
  return db.maybeOne(find, [credentialId, key, before]);
}

export async function forgetIdempotencyKey(db: Handle, credentialId: string, key: string): Promise<void> {
  await db.run(forget, [credentialId, key]);
}

export interface IdempotencyOwner {
  credentialId: string;
  key: string;
  operation: string;
  inputHash: string;
  token: string;
  now: Date;
}

export async function insertDoneKey(
  db: Handle,
  owner: IdempotencyOwner,
  answer: { status: number; sealed: Buffer },
): Promise<void> {
  const { credentialId, key, operation, inputHash, token, now } = owner;
  await db.run(insertDone, [credentialId, key, operation, inputHash, token, answer.status, answer.sealed, now]);
}

export async function insertStartedKey(
  db: Handle,
  owner: IdempotencyOwner,
  leaseSeconds: number,
  frozen: Buffer,
): Promise<void> {
  const { credentialId, key, operation, inputHash, token, now } = owner;
  await db.run(insertStarted, [credentialId, key, operation, inputHash, token, leaseSeconds, frozen, now]);
}

/** @returns false when the lease is still running or someone else took over. */
export async function takeOverKey(db: Handle, owner: IdempotencyOwner, leaseSeconds: number): Promise<boolean> {
  return (await db.run(takeOver, [owner.credentialId, owner.key, owner.token, leaseSeconds])) === 1;
}

/** @returns false when the key is no longer this caller's: its work must not be committed. */
export async function finishKey(db: Handle, owner: IdempotencyOwner): Promise<boolean> {
  return (await db.run(finish, [owner.credentialId, owner.key, owner.token])) === 1;
}

/** Keeps the answer for replays, in the transaction of `finishKey`. */
export async function keepAnswer(
  db: Handle,
  owner: IdempotencyOwner,
  answer: { status: number; sealed: Buffer },
): Promise<void> {
  await db.run(keep, [owner.credentialId, owner.key, answer.status, answer.sealed]);
}

export async function abandonKey(db: Handle, owner: IdempotencyOwner): Promise<void> {
  await db.run(abandon, [owner.credentialId, owner.key, owner.token]);
}
