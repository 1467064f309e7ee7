import { UnknownOutcome } from '../db/database.ts';
import type { Parts } from '../flows/parts.ts';
import type { CallContext, Caller } from '../kernel/context.ts';
import { AppError } from '../kernel/errors.ts';
import type { OrderSource } from '../model/order.ts';
import { checkAccess } from './access.ts';
import { type Answer, asCacheable, type Tagged, writeAnswer, writeTaggedAnswer } from './answer.ts';
import { withAudit } from './audit.ts';
import { csvAnswer } from './csv-answer.ts';
import { once, onceWithWallet } from './idempotency.ts';
import { type RawInput, readIdempotencyKey, readInput } from './input.ts';
import type { Call, Operation, OperationInput, PublicCall } from './operation.ts';

/** What a door knows of a call besides its input. */
export interface Visit extends CallContext {
  /** Undefined when no credential was sent. */
  readonly caller: Caller | undefined;
  readonly source: OrderSource;
}

/**
 * The one road for every call, whatever door it came through: access, input, idempotency, the operation itself, answer.
 * @throws {AppError} for everything that a caller can cause.
 */
export async function perform(declared: Operation, parts: Parts, visit: Visit, raw: RawInput): Promise<Answer> {
  const operation = declared.audit ? withAudit(declared) : declared;
  if (operation.access.public) return performPublic(operation, parts, visit, raw);
  const caller = checkAccess(operation, visit.caller);
  const now = parts.clock.now();
  const input = readInput(operation, raw);
  const kind = typeof operation.idempotency === 'function' ? operation.idempotency(input) : operation.idempotency;
  const key = kind === 'none' ? undefined : readIdempotencyKey(raw.idempotencyKey);
  const effects: (() => void)[] = [];
  const scope = { merchantId: caller.merchantId, livemode: caller.livemode };
  const { requestId, address, log, signal, source } = visit;
  const afterCommit = (effect: () => void) => effects.push(effect);
  // A transaction that is tried again starts over, effects included.
  const withHandle = (db: Call['db']): Call => {
    effects.length = 0;
    return { parts, db, caller, scope, now, requestId, address, log, signal, source, afterCommit };
  };
  if (operation.answer.kind === 'list' && operation.answer.csv && raw.wantsCsv) {
    return csvAnswer(operation, withHandle(parts.db), input);
  }
  const write = (value: unknown) => writeAnswer(operation, value, parts.strictAnswers);
  const isTagged = operation.answer.kind === 'json' && operation.answer.tagged;
  const writeRead = (value: unknown) =>
    isTagged ? writeTaggedAnswer(operation, value as Tagged, raw.ifNoneMatch, parts.strictAnswers) : write(value);

  const work =
    kind === 'none'
      ? runOf(operation)(withHandle(parts.db), input).then(writeRead)
      : kind === 'database'
        ? once(operation, parts, caller, input, key, now, async (tx) =>
            write(await runOf(operation)(withHandle(tx), input)),
          )
        : onceWithWallet(operation, parts, caller, input, key, now, withHandle, write);
  const answer = await work.catch(explainUnknownOutcome);
  for (const effect of effects) effect();
  return answer;
}

async function performPublic(operation: Operation, parts: Parts, visit: Visit, raw: RawInput): Promise<Answer> {
  const { requestId, address, log, signal, source } = visit;
  const input = readInput(operation, raw);
  const effects: (() => void)[] = [];
  const afterCommit = (effect: () => void) => effects.push(effect);
  const now = parts.clock.now();
  const run = runOf(operation) as (call: PublicCall, input: OperationInput) => Promise<unknown>;
  const runOn = async (db: Call['db']) => {
    effects.length = 0;
    const call = { parts, db, now, requestId, address, log, signal, source, afterCommit };
    return writeAnswer(operation, await run(call, input), parts.strictAnswers);
  };
  const work = operation.idempotency === 'none' ? runOn(parts.db) : parts.db.transaction((tx) => runOn(tx));
  const answer = await work.catch(explainUnknownOutcome);
  for (const effect of effects) effect();
  return operation.cacheSeconds === undefined ? answer : asCacheable(answer, operation.cacheSeconds, raw.ifNoneMatch);
}

function explainUnknownOutcome(error: unknown): never {
  if (!(error instanceof UnknownOutcome)) throw error;
  throw new AppError(
    'internal_error',
    'The database went away before it confirmed the change; look whether it happened, or repeat the call with the same Idempotency-Key',
    { cause: error, retryAfterSeconds: 5 },
  );
}

function runOf(operation: Operation): (call: Call, input: OperationInput) => Promise<unknown> {
  if (!operation.run) throw new AppError('internal_error', `${operation.name} has no run`);
  return operation.run;
}
