import { randomUUID } from 'node:crypto';
import type { Handle } from '../db/database.ts';
import type { Parts } from '../flows/parts.ts';
import type { Caller } from '../kernel/context.ts';
import { AppError } from '../kernel/errors.ts';
import type { Sealer } from '../kernel/secrets.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import {
  abandonKey,
  findIdempotencyKey,
  finishKey,
  forgetIdempotencyKey,
  type IdempotencyOwner,
  type IdempotencyRow,
  insertDoneKey,
  insertStartedKey,
  keepAnswer,
  lockIdempotencyKey,
  takeOverKey,
} from '../store/idempotency-keys.ts';
import type { Answer } from './answer.ts';
import { inputHash } from './input.ts';
import type { Call, Operation, OperationInput } from './operation.ts';

/** How long a key is remembered. */
const rememberSeconds = 24 * 3600;
/**
 * Longer than a sale may ask wallets and wait for others that do, so that a live caller never loses its key; and no longer,
 * because the key of a process that died is free only afterwards.
 */
export const saleLeaseSeconds = 20;

/** One call of an operation that changes something. */
export interface Attempt {
  readonly operation: Operation;
  readonly parts: Parts;
  readonly caller: Caller;
  readonly input: OperationInput;
  /** Without one nothing is remembered. */
  readonly key: string | undefined;
  readonly now: Date;
}

/**
 * A database operation, at most once per key: lock, earlier answer, change, answer and key in one transaction.
 * Without a key it is one transaction and nothing more.
 */
export async function once(attempt: Attempt, work: (tx: Handle) => Promise<Answer>): Promise<Answer> {
  const { db, sealer } = attempt.parts;
  return db.transaction(async (tx) => {
    if (attempt.key === undefined) return work(tx);
    const owner = ownerOf(attempt, attempt.key);
    const earlier = await lockAndFind(tx, owner);
    if (earlier) return replay(sealer, owner, earlier);
    const answer = await work(tx);
    await insertDoneKey(tx, owner, { status: answer.status, sealed: sealAnswer(sealer, owner, answer) });
    return answer;
  });
}

/**
 * An operation that asks a wallet, at most once per key. What was decided before asking is kept with the key, so a
 * process that takes over after a crash goes on with the same ids, rate and amount.
 */
export async function onceWithWallet(
  attempt: Attempt,
  callOn: (db: Handle) => Call,
  write: (value: unknown) => Answer,
): Promise<Answer> {
  const { operation, parts, input, key } = attempt;
  const { db, sealer } = parts;
  const steps = operation.steps;
  if (!steps) throw new AppError('internal_error', `${operation.name} has no steps`);
  if (key === undefined) {
    const frozen = await steps.prepare(callOn(db), input);
    const fact = await steps.ask(callOn(db), frozen);
    return db.transaction(async (tx) => write(await steps.commit(callOn(tx), frozen, fact)));
  }

  const owner = ownerOf(attempt, key);
  const { leaseSeconds = saleLeaseSeconds } = steps;
  const begun = await db.transaction(async (tx) => {
    const earlier = await lockAndFind(tx, owner);
    if (!earlier) {
      const frozen = await steps.prepare(callOn(tx), input);
      await insertStartedKey(tx, owner, leaseSeconds, sealer.seal(JSON.stringify(frozen), placeOf(owner, 'frozen')));
      return { frozen };
    }
    if (earlier.state === 'done') return { answer: replay(sealer, owner, earlier) };
    checkSameInput(owner, earlier);
    if (!(await takeOverKey(tx, owner, leaseSeconds))) throw inProgress();
    return { frozen: JSON.parse(sealer.open(earlier.frozen!, placeOf(owner, 'frozen')).toString()) };
  });
  if (begun.answer) return begun.answer;

  let fact: unknown;
  try {
    fact = await steps.ask(callOn(db), begun.frozen);
  } catch (error) {
    await letGo(parts, owner);
    throw error;
  }
  try {
    return await db.transaction(async (tx) => {
      // First of all: whoever lost the key must not write anything, and the same ids would collide.
      if (!(await finishKey(tx, owner))) throw inProgress();
      const answer = write(await steps.commit(callOn(tx), begun.frozen, fact));
      await keepAnswer(tx, owner, { status: answer.status, sealed: sealAnswer(sealer, owner, answer) });
      return answer;
    });
  } catch (error) {
    // Harmless when the commit did happen: then the key is done, and only a started one can be let go.
    await letGo(parts, owner);
    throw error;
  }
}

/** A failed call must not pin its failure: the same key may try again at once. Otherwise it can when the lease is out. */
async function letGo({ db, log }: Parts, owner: IdempotencyOwner): Promise<void> {
  await abandonKey(db, owner).catch((error) => log.warn({ err: error }, 'a key stays taken until its lease ends'));
}

function ownerOf({ operation, caller, input, now }: Attempt, key: string): IdempotencyOwner {
  return {
    credentialId: caller.credentialId,
    key,
    operation: operation.name,
    inputHash: inputHash(operation, input),
    token: randomUUID(),
    now,
  };
}

async function lockAndFind(tx: Handle, owner: IdempotencyOwner): Promise<IdempotencyRow | undefined> {
  if (!(await lockIdempotencyKey(tx, owner.credentialId, owner.key))) throw inProgress();
  const before = new Date(owner.now.getTime() - rememberSeconds * 1000);
  const row = await findIdempotencyKey(tx, owner.credentialId, owner.key, before);
  if (!row?.over) return row;
  // Only now: whoever may write has its number among the events, and the call has yet to wait for its order.
  await forgetIdempotencyKey(tx, owner.credentialId, owner.key);
  return undefined;
}

function replay(sealer: Sealer, owner: IdempotencyOwner, row: IdempotencyRow): Answer {
  checkSameInput(owner, row);
  if (row.state !== 'done') throw inProgress();
  const stored = JSON.parse(sealer.open(row.answer!, placeOf(owner, 'answer')).toString()) as Answer;
  return { ...stored, headers: { ...stored.headers, 'idempotent-replayed': 'true' } };
}

function checkSameInput(owner: IdempotencyOwner, row: IdempotencyRow): void {
  if (row.input_hash === owner.inputHash) return;
  throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used with other input; send a new key');
}

function inProgress(): AppError {
  return new AppError(
    'idempotency_in_progress',
    'A call with this Idempotency-Key is still running; try again shortly',
    {
      retryAfterSeconds: 1,
    },
  );
}

function sealAnswer(sealer: Sealer, owner: IdempotencyOwner, answer: Answer): Buffer {
  return sealer.seal(JSON.stringify(answer), placeOf(owner, 'answer'));
}

function placeOf({ credentialId, key }: IdempotencyOwner, column: 'frozen' | 'answer') {
  return sealedPlace(`idempotency_keys.${column}`, credentialId, key);
}
