import type { Handle } from '../db/database.ts';
import type { Parts } from '../flows/parts.ts';
import type { CallContext, Caller } from '../kernel/context.ts';
import { AppError } from '../kernel/errors.ts';
import type { OrderSource } from '../model/order.ts';
import { checkAccess } from './access.ts';
import { type Answer, asCacheable, type Tagged, writeAnswer, writeTaggedAnswer } from './answer.ts';
import { withAudit } from './audit.ts';
import { csvAnswer } from './csv-answer.ts';
import { declaredFailure } from './failures.ts';
import { type Attempt, once, onceWithWallet } from './idempotency.ts';
import { type RawInput, readIdempotencyKey, readInput } from './input.ts';
import type { Call, Operation, OperationInput, PublicCall } from './operation.ts';

/** What a door knows of a call besides its input. */
interface DoorContext extends CallContext {
  /** Undefined when no credential was sent. */
  readonly caller: Caller | undefined;
  readonly source: OrderSource;
}

type Effect = () => void;

/**
 * The one road for every call, whatever door it came through: access, input, idempotency, the operation itself, answer.
 * @throws {AppError} for everything that a caller can cause.
 */
export async function perform(declared: Operation, parts: Parts, context: DoorContext, raw: RawInput): Promise<Answer> {
  const operation = declared.audit ? withAudit(declared) : declared;
  const begin = operation.access.public ? beginForAnybody : beginForCaller;
  // A transaction that is tried again starts over, effects included.
  const effects: Effect[] = [];
  let answer: Answer;
  try {
    answer = await begin(operation, parts, context, raw, effects);
  } catch (error) {
    throw parts.strictAnswers ? declaredFailure(operation, error) : error;
  }
  for (const effect of effects) effect();
  return answer;
}

function beginForCaller(
  operation: Operation,
  parts: Parts,
  { caller: visitor, requestId, address, log, signal, source }: DoorContext,
  raw: RawInput,
  effects: Effect[],
): Answer | Promise<Answer> {
  const caller = checkAccess(operation, visitor);
  const now = parts.clock.now();
  const input = readInput(operation, raw);
  const scope = { merchantId: caller.merchantId, livemode: caller.livemode };
  const afterCommit = (effect: Effect) => effects.push(effect);
  const callOn = (db: Handle): Call => {
    effects.length = 0;
    return { parts, db, caller, scope, now, requestId, address, log, signal, source, afterCommit };
  };
  const write = (value: unknown) => writeAnswer(operation, value, parts.strictAnswers);

  const kind = typeof operation.idempotency === 'function' ? operation.idempotency(input) : operation.idempotency;
  if (kind === 'none') return read(operation, callOn(parts.db), input, raw);
  const attempt: Attempt = { operation, parts, caller, input, now, key: readIdempotencyKey(raw.idempotencyKey) };
  if (kind === 'wallet') return onceWithWallet(attempt, callOn, write);
  return once(attempt, async (tx) => write(await runOf(operation)(callOn(tx), input)));
}

function read(operation: Operation, call: Call, input: OperationInput, raw: RawInput): Answer | Promise<Answer> {
  const { answer } = operation;
  const { strictAnswers } = call.parts;
  if (answer.kind === 'list' && answer.csv && raw.wantsCsv) return csvAnswer(operation, call, input);
  const value = runOf(operation)(call, input);
  return answer.kind === 'json' && answer.tagged
    ? value.then((tagged) => writeTaggedAnswer(operation, tagged as Tagged, raw.ifNoneMatch, strictAnswers))
    : value.then((plain) => writeAnswer(operation, plain, strictAnswers));
}

function beginForAnybody(
  operation: Operation,
  parts: Parts,
  { requestId, address, log, signal, source }: DoorContext,
  raw: RawInput,
  effects: Effect[],
): Promise<Answer> {
  const input = readInput(operation, raw);
  const afterCommit = (effect: Effect) => effects.push(effect);
  const now = parts.clock.now();
  const run = runOf(operation) as (call: PublicCall, input: OperationInput) => Promise<unknown>;
  const answerOn = async (db: Handle): Promise<Answer> => {
    effects.length = 0;
    const call = { parts, db, now, requestId, address, log, signal, source, afterCommit };
    const answer = writeAnswer(operation, await run(call, input), parts.strictAnswers);
    return operation.cacheSeconds === undefined ? answer : asCacheable(answer, operation.cacheSeconds, raw.ifNoneMatch);
  };
  return operation.idempotency === 'none' ? answerOn(parts.db) : parts.db.transaction(answerOn);
}

function runOf(operation: Operation): (call: Call, input: OperationInput) => Promise<unknown> {
  if (!operation.run) throw new AppError('internal_error', `${operation.name} has no run`);
  return operation.run;
}
