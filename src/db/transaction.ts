import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { UnknownOutcome } from '../kernel/database-errors.ts';
import { gather, statementsOn } from './connections.ts';
import { type Handle, sqlState, type Transaction, type WakeChannel } from './database.ts';
import { epochOf, type TransactionMark } from './outcome.ts';
import { orUnavailable, statementFailure } from './unavailable.ts';

/** Work started inside a transaction and still going after it ended is outside again: hence an object that ends. */
const running = new AsyncLocalStorage<{ active: boolean }>();
const retried = new Set(['40P01', '40001']);

/**
 * Throws inside a running transaction. With the embedded engine's single connection a statement outside the handle
 * would wait for ever for the transaction it is part of; tests on PostgreSQL get the same check.
 */
export function refuseInsideTransaction(): void {
  if (running.getStore()?.active) throw new Error('A statement inside a transaction must use the transaction handle');
}

interface TransactionSupport {
  /** Statements beside a running transaction are refused. */
  readonly guarded: boolean;
  connect(): Promise<pg.PoolClient>;
  wake(channel: WakeChannel, subject: string): void;
  /** Asks how a transaction ended over a fresh connection; undefined when nobody answers in time. */
  outcomeOf(mark: TransactionMark): Promise<'committed' | 'aborted' | undefined>;
}

/** As `Database.transaction` promises. */
export async function runTransaction<T>(
  support: TransactionSupport,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  refuseInsideTransaction();
  try {
    return await attempt(support, work);
  } catch (error) {
    if (!retried.has(sqlState(error) ?? '')) throw error;
    return attempt(support, work);
  }
}

/** A transaction that only reads, and reads one moment throughout. */
export async function runSnapshot<T>(
  support: Omit<TransactionSupport, 'outcomeOf'>,
  work: (tx: Handle) => Promise<T>,
): Promise<T> {
  refuseInsideTransaction();
  const client = await orUnavailable(support.connect());
  const state = { active: true };
  let broken: Error | undefined;
  try {
    await client.query('begin isolation level repeatable read read only').catch((error: Error) => {
      throw statementFailure(error);
    });
    return await within(support, state, () => work({ ...statementsOn(() => client), wake: support.wake }));
  } finally {
    state.active = false;
    await client.query('rollback').catch((error: Error) => {
      broken = error;
    });
    client.release(broken);
  }
}

// Node 20 makes every promise of the process dearer once this is used.
function within<T>({ guarded }: { guarded: boolean }, state: { active: boolean }, work: () => Promise<T>): Promise<T> {
  return guarded ? running.run(state, work) : work();
}

async function attempt<T>(support: TransactionSupport, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const client = await orUnavailable(support.connect());
  const effects: (() => void)[] = [];
  const wakes: [channel: WakeChannel, subject: string][] = [];
  let broken: Error | undefined;
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  const release = () => {
    client.off('error', onError);
    client.release(broken);
  };

  const state = { active: true };
  const finish = () => {
    state.active = false;
  };
  // Not awaited: BEGIN travels with the first statement.
  gather(client);
  const begun = client.query('begin');
  begun.catch(() => {});
  // The id tells later whether a commit that was cut off happened. It is asked for with the first statement that may write
  // and no earlier: events are sorted by these ids, so nobody may have one while waiting for a row's lock.
  let asked: Promise<pg.QueryResult<{ id: string }>> | undefined;
  const askId = () => {
    gather(client);
    asked = client.query<{ id: string }>('select pg_current_xact_id()::text as id');
    asked.catch(() => {});
  };
  const epoch = epochOf(client);
  epoch.catch(() => {});
  const handle: Transaction = {
    ...statementsOn(
      ({ isShortRead }) => {
        if (!isShortRead && !asked) askId();
        return client;
      },
      () => {
        if (!state.active) throw new Error('The transaction has ended');
      },
    ),
    afterCommit: (effect) => effects.push(effect),
    wake(channel, subject) {
      if (!wakes.some((wake) => wake[0] === channel && wake[1] === subject)) wakes.push([channel, subject]);
    },
  };

  let value: T;
  let mark: TransactionMark | undefined;
  try {
    value = await within(support, state, () => work(handle));
    // Where BEGIN failed, each statement stands for itself.
    await begun;
    const id = (await asked)?.rows[0]?.id;
    if (id !== undefined) mark = { id, epoch: await epoch };
  } catch (error) {
    finish();
    await client.query('rollback').catch((cause: Error) => {
      broken ??= cause;
    });
    release();
    throw error;
  }
  finish();
  const committed = await commit(client);
  if (committed.connectionLost) broken ??= committed.failure as Error;
  release();
  // What was only read was read, whether or not the end of it came through.
  const isLostRead = committed.connectionLost && !asked;
  if (committed.failure !== undefined && !isLostRead) {
    if (!committed.connectionLost) throw committed.failure;
    const outcome = mark && (await support.outcomeOf(mark));
    if (outcome === undefined) throw new UnknownOutcome(committed.failure);
    if (outcome === 'aborted') throw statementFailure(committed.failure);
  }
  for (const effect of effects) effect();
  for (const [channel, subject] of wakes) support.wake(channel, subject);
  return value;
}

async function commit(client: pg.PoolClient): Promise<{ failure?: unknown; connectionLost: boolean }> {
  try {
    gather(client);
    const { command } = await client.query('commit');
    if (command === 'COMMIT') return { connectionLost: false };
    // A failed statement whose error was swallowed turns COMMIT into ROLLBACK without an error of its own.
    return { failure: new Error('An earlier failed statement rolled the transaction back'), connectionLost: false };
  } catch (failure) {
    const state = sqlState(failure);
    // 08: connection exception, 57P: the server is shutting down or ended the session.
    return { failure, connectionLost: state === undefined || state.startsWith('08') || state.startsWith('57P') };
  }
}
