import pg from 'pg';
import type { Statement } from './database.ts';
import { toParameter, typeParsers } from './parameters.ts';

type Row = Record<string, unknown>;

/** How the rows of one prepared statement are read; PostgreSQL keeps it the same for as long as the statement lives. */
interface RowShape {
  readonly columns: readonly { name: string; parse: (text: string) => unknown; nested: number }[];
  /** All members in place, so that every row of the statement is an object of the same kind. */
  readonly blank: Row;
  /** Rows of joined tables: columns named `merchant.id`, `merchant.name` make a member `merchant`. */
  readonly nested: readonly { name: string; blank: Row }[];
}

export interface StatementResult {
  rows: unknown[];
  /** Rows that were returned or changed. */
  count: number;
}

const noColumns: RowShape = { columns: [], blank: {}, nested: [] };
const shapesOf = new WeakMap<pg.Connection, Map<string, RowShape>>();

/** What `pg` does not declare of its own class: how a query is sent and what it is told of the answer. */
interface QueryHooks {
  name: string | undefined;
  values: unknown[];
  callback: (error: Error | null) => void;
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
    values: readonly unknown[],
    done: (error: Error | undefined, result: StatementResult) => void,
  ) {
    // As text, because `pg` copies an object property by property.
    super(text);
    Object.assign(this, { name, values: values.map(toParameter) });
    this.#done = done;
  }

  /** Called by `pg` in place of its own: sends the statement, without asking for its columns where they are known. */
  prepare(connection: pg.Connection): void {
    const { name, values } = this as unknown as QueryHooks;
    this.#shape = name === undefined ? undefined : shapesOf.get(connection)?.get(name);
    if (name === undefined || this.#shape === undefined) {
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
    if (name !== undefined) {
      let shapes = shapesOf.get(connection);
      if (!shapes) {
        shapes = new Map();
        shapesOf.set(connection, shapes);
      }
      shapes.set(name, this.#shape ?? noColumns);
    }
    this.#done(this.#failure, this.#result);
  }

  handleError(error: Error): void {
    this.#done(error, this.#result);
  }
}

interface Field {
  name: string;
  dataTypeID: number;
}

function shapeOf(fields: readonly Field[]): RowShape {
  const nested: { name: string; blank: Row }[] = [];
  const blank: Row = {};
  const columns = fields.map(({ name, dataTypeID }) => {
    const parse = typeParsers.getTypeParser(dataTypeID, 'text');
    const dot = name.indexOf('.');
    if (dot < 0) {
      blank[name] = null;
      return { name, parse, nested: -1 };
    }
    const member = name.slice(0, dot);
    let place = nested.findIndex((part) => part.name === member);
    if (place < 0) {
      place = nested.push({ name: member, blank: {} }) - 1;
      blank[member] = null;
    }
    const inner = name.slice(dot + 1);
    nested[place]!.blank[inner] = null;
    return { name: inner, parse, nested: place };
  });
  return { columns, blank, nested };
}

function readRow({ columns, blank, nested }: RowShape, texts: readonly (string | null)[]): Row {
  const row = { ...blank };
  const parts = nested.map((part) => ({ ...part.blank }));
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index]!;
    if (text === null) continue;
    const column = columns[index]!;
    (column.nested < 0 ? row : parts[column.nested]!)[column.name] = column.parse(text);
  }
  for (const [index, { name }] of nested.entries()) {
    // An outer join that found nothing.
    if (parts[index]!.id !== null) row[name] = parts[index];
  }
  return row;
}
