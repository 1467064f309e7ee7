import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Database, dynamicStatement, type Handle, type Statement } from '../database.ts';
import { type ExportHeader, type ExportLine, formatVersion, type TableSum, Tally } from './format.ts';
import { readSchemaVersions, readTables, type TableShape } from './tables.ts';

const batchRows = 500;
const batchBytes = 4 * 1024 * 1024;
const sequenceName = /^order_numbers_[0-9a-f]{32}_(live|test)$/;

/** The file cannot be imported here; nothing was changed. The message says why and what to do. */
export class ImportRefused extends Error {}

interface ImportResult {
  rows: Record<string, number>;
}

const beforeMerchants = ['settings', 'plans', 'channels', 'exchanges', 'countries'];

/**
 * Reads an export into an empty database of the same schema, in one transaction: rows, sequences, and at the end the
 * counts and hashes of the file against what was read and what is there. @param verify runs before the commit.
 * @throws {ImportRefused}
 */
export async function importDatabase(
  db: Database,
  source: Readable,
  options: { verify: (tx: Handle) => Promise<void>; onTable?: (table: string) => void },
): Promise<ImportResult> {
  return db.transaction(async (tx) => {
    await refuseUnlessEmpty(tx);
    const tables = new Map((await readTables(tx)).map((table) => [table.name, table]));
    const schema = await readSchemaVersions(tx);
    // What a start, a migration or an operator's directory file leaves in a database without merchants; the file's takes
    // its place.
    for (const name of beforeMerchants) await tx.run(dynamicStatement(`delete from ${name}`));

    const tallies = new Map<string, Tally>();
    let writer: TableWriter | undefined;
    let sums: Record<string, TableSum> | undefined;
    let seenHeader = false;
    for await (const line of linesOf(source)) {
      if (!seenHeader) {
        checkHeader(line, schema);
        seenHeader = true;
        continue;
      }
      const entry = parse(line);
      if (entry.kind === 'row') {
        if (!writer) throw new ImportRefused('The file has rows before a table');
        tallies.get(writer.table)!.add(line);
        await writer.add(entry.values);
        continue;
      }
      await writer?.flush();
      writer = undefined;
      if (entry.kind === 'table') {
        options.onTable?.(entry.table);
        writer = new TableWriter(tx, tableNamed(tables, entry.table), entry.columns);
        tallies.set(entry.table, new Tally());
      } else if (entry.kind === 'sequence') await setSequence(tx, entry.name, entry.last);
      else sums = entry.sums;
    }
    if (!sums) throw new ImportRefused('The file ends too early; export again');
    const rows = await checkSums(tx, sums, tallies);
    await setIdentities(tx, [...tables.values()]);
    await options.verify(tx);
    return { rows };
  });
}

async function refuseUnlessEmpty(tx: Handle): Promise<void> {
  const row = await tx.maybeOne<{ found: boolean }>(dynamicStatement('select exists (select from merchants) as found'));
  if (row!.found) throw new ImportRefused('This database has merchants already; import into an empty one');
}

/**
 * Node's own reader of lines also ends them, from some version on, at U+2028 and U+2029, which JSON may hold as they are.
 */
async function* linesOf(source: Readable): AsyncGenerator<string> {
  const text = source.pipe(createGunzip()).setEncoding('utf8');
  source.once('error', (error) => text.destroy(error));
  let rest = '';
  try {
    for await (const chunk of text) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
  } catch (error) {
    throw `${(error as NodeJS.ErrnoException).code}`.startsWith('Z_') ? damaged() : error;
  }
  if (rest !== '') yield rest;
}

function checkHeader(line: string, schema: number[]): void {
  const header = parse(line) as unknown as Partial<ExportHeader>;
  if (header.satline !== 'export') throw new ImportRefused('The file is no Satline export');
  if (header.format !== formatVersion)
    throw new ImportRefused(`The file has format ${header.format}; this Satline reads ${formatVersion}`);
  if (JSON.stringify(header.schema) !== JSON.stringify(schema)) {
    throw new ImportRefused(
      'The file was exported by another version of Satline; import it with that version, then upgrade',
    );
  }
}

function parse(line: string): ExportLine {
  try {
    return JSON.parse(line) as ExportLine;
  } catch {
    throw damaged();
  }
}

const damaged = (): ImportRefused => new ImportRefused('The file is damaged; export again');

function tableNamed(tables: Map<string, TableShape>, name: string): TableShape {
  const table = tables.get(name);
  if (!table) throw new ImportRefused(`The file has a table ${name} that this Satline does not know`);
  return table;
}

/** Inserts rows of one table in batches. */
class TableWriter {
  readonly table: string;
  readonly #tx: Handle;
  readonly #insert: Statement;
  #rows: string[] = [];
  #bytes = 0;

  constructor(tx: Handle, shape: TableShape, columns: string[]) {
    this.table = shape.name;
    this.#tx = tx;
    const types = new Map(shape.columns.map(({ name, type }) => [name, type]));
    const values = columns.map((column, index) => {
      const type = types.get(column);
      if (type === undefined)
        throw new ImportRefused(`The file has a column ${shape.name}.${column} that is not known here`);
      // Numbers of transactions mean nothing on another server: readers would wait for ones that never come.
      return type === 'xid8' ? 'pg_current_xact_id()' : `(value ->> ${index})::${type}`;
    });
    const names = columns.map((column) => `"${column}"`).join(', ');
    this.#insert = dynamicStatement(
      `insert into "${shape.name}" (${names}) overriding system value
       select ${values.join(', ')} from unnest($1::text[]) with ordinality as rows (line, place),
              lateral (select line::json as value) parsed
        order by place`,
    );
  }

  async add(values: (string | null)[]): Promise<void> {
    const row = JSON.stringify(values);
    this.#rows.push(row);
    this.#bytes += row.length;
    if (this.#rows.length >= batchRows || this.#bytes >= batchBytes) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    await this.#tx.run(this.#insert, [this.#rows]);
    this.#rows = [];
    this.#bytes = 0;
  }
}

async function setSequence(tx: Handle, name: string, last: string): Promise<void> {
  if (!sequenceName.test(name)) throw new ImportRefused(`The file has a sequence ${name} that is not known here`);
  await tx.run(dynamicStatement(`create sequence if not exists ${name}`));
  await tx.run(dynamicStatement('select setval($1::text::regclass, $2::text::bigint)'), [name, last]);
}

async function setIdentities(tx: Handle, tables: TableShape[]): Promise<void> {
  for (const { name, columns } of tables) {
    for (const column of columns.filter(({ identity }) => identity)) {
      await tx.run(
        dynamicStatement(
          `select setval(pg_get_serial_sequence('"${name}"', '${column.name}'), (select max("${column.name}") from "${name}"))
             from (select) one where exists (select from "${name}")`,
        ),
      );
    }
  }
}

async function checkSums(
  tx: Handle,
  sums: Record<string, TableSum>,
  tallies: Map<string, Tally>,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {};
  for (const [table, sum] of Object.entries(sums)) {
    const read = tallies.get(table)?.sum();
    if (read?.rows !== sum.rows || read.sha256 !== sum.sha256) {
      throw new ImportRefused(`The rows of ${table} are not those that were exported; the file is damaged`);
    }
    const there = await tx.maybeOne<{ count: number }>(dynamicStatement(`select count(*) as count from "${table}"`));
    if (there!.count !== sum.rows) throw new ImportRefused(`${table} has ${there!.count} rows instead of ${sum.rows}`);
    rows[table] = sum.rows;
  }
  return rows;
}
