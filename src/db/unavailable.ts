import { DatabaseUnavailable } from '../kernel/database-errors.ts';
import { sqlState } from './database.ts';

// Connection exception, too little of something, the session ended by the server (PostgreSQL, appendix A).
const away = /^(?:08|53|57P)/;

/** What a client says of a statement, with what is no fault of the statement told apart. */
export function statementFailure<Failure>(error: Failure): Failure | DatabaseUnavailable {
  const state = sqlState(error);
  // Without one it is not from the server: the connection broke.
  return state === undefined || away.test(state) ? new DatabaseUnavailable(error) : error;
}

/** A connection, or that there is none. @throws {DatabaseUnavailable} */
export async function orUnavailable<C>(connecting: Promise<C>): Promise<C> {
  try {
    return await connecting;
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
}
