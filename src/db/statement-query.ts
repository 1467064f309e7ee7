import pg from 'pg';
import type { Statement } from './database.ts';
import { type Parameter, typeParsers } from './parameters.ts';
import { statementFailure } from './unavailable.ts';

type Row = Record<string, unknown>;

/** How the rows of one prepared statement are read; PostgreSQL keeps it the same for as long as the statement lives. */
interface RowShape {
  readonly columns: readonly { name: string; parse: (text: string) => unknown }[];
  /** All members in place, so that every row of the statement is an object of the same kind. */
  readonly blank: Row;
}

export interface StatementResult {
  rows: unknown[];
  /** Rows that were returned or changed. */
  count: number;
}

const noColumns: RowShape = { columns: [], blank: {} };
const learned = new WeakMap<pg.Connection, Map<string, RowShape>>();

/** What `pg` does not declare of its own class: how a query is sent and what it is told of the answer. */
interface QueryHooks {
  name: string | undefined;
  values: unknown[];
  prepare(connection: pg.Connection): void;
}
const { prepare } = pg.Query.prototype as unknown as QueryHooks;

/**
 * One statement on its way to the database and back. `pg` has the columns of a prepared statement described anew at each
 * call; here they are learned at the first one, which halves the work of a small read on both sides.
 */
export class StatementQuery extends pg.Query {
  readonly #result: StatementResult = { rows: [], count: 0 };
  readonly #done: (error: Error | undefined, result: StatementResult) => void;
  #shape: RowShape | undefined;
  #failure: Error | undefined;

  constructor(
    { name, text }: Statement,
    values: readonly Parameter[],
    done: (error: Error | undefined, result: StatementResult) => void,
  ) {
    // As text, because `pg` copies an object property by property.
    super(text);
    Object.assign(this, { name, values });
    this.#done = done;
  }

  /** Called by `pg` in place of its own: sends the statement, without asking for its columns where they are known. */
  prepare(connection: pg.Connection): void {
    const { name, values } = this as unknown as QueryHooks;
    this.#shape = shapesOf(connection).get(name ?? '');
    if (this.#shape === undefined) {
      prepare.call(this as unknown as QueryHooks, connection);
      return;
    }
    connection.bind({ statement: name, values } as pg.BindConfig, true);
    connection.execute(null, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }): void {
    this.#shape = shapeOf(fields);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    try {
      this.#result.rows.push(readRow(this.#shape!, fields));
    } catch (error) {
      this.#failure ??= error as Error;
    }
  }

  /** @param text such as `INSERT 0 1` or `UPDATE 3`. */
  handleCommandComplete({ text }: { text: string }): void {
    this.#result.count = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0;
  }

  handleReadyForQuery(connection: pg.Connection): void {
    const { name } = this as unknown as QueryHooks;
    if (name !== undefined) shapesOf(connection).set(name, this.#shape ?? noColumns);
    this.#done(this.#failure, this.#result);
  }

  handleError(error: Error): void {
    this.#done(statementFailure(error), this.#result);
  }
}

/** What was learned on a connection, by the statement's name. */
function shapesOf(connection: pg.Connection): Map<string, RowShape> {
  let shapes = learned.get(connection);
  if (!shapes) {
    shapes = new Map();
    learned.set(connection, shapes);
  }
  return shapes;
}

interface Field {
  name: string;
  dataTypeID: number;
}

function shapeOf(fields: readonly Field[]): RowShape {
  return {
    columns: fields.map(({ name, dataTypeID }) => ({ name, parse: typeParsers.getTypeParser(dataTypeID, 'text') })),
    blank: Object.fromEntries(fields.map(({ name }) => [name, null])),
  };
}

function readRow({ columns, blank }: RowShape, texts: readonly (string | null)[]): Row {
  const row = { ...blank };
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index]!;
    if (text === null) continue;
    const { name, parse } = columns[index]!;
    row[name] = parse(text);
  }
  return row;
}
