import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Database, dynamicStatement, type Handle } from '../database.ts';
import { type ExportHeader, formatVersion, type TableSum, Tally } from './format.ts';
import { readSchemaVersions, readTables, type TableShape } from './tables.ts';

const batch = 500;
const sequences = dynamicStatement(
  `select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = current_schema() and sequencename like 'order\\_numbers\\_%' and last_value is not null`,
);

export interface ExportResult {
  /** Rows by table. */
  rows: Record<string, number>;
}

/**
 * Writes everything in the database to `target`, as one moment saw it, in constant memory. Other work goes on meanwhile
 * on PostgreSQL. Secrets stay sealed: whoever imports needs the same secrets key.
 */
export async function exportDatabase(
  db: Database,
  target: Writable,
  options: { exportedAt: Date; onTable?: (table: string) => void },
): Promise<ExportResult> {
  return db.snapshot(async (tx) => {
    const rows: Record<string, number> = {};
    async function* lines(): AsyncGenerator<string> {
      const header: ExportHeader = {
        satline: 'export',
        format: formatVersion,
        schema: await readSchemaVersions(tx),
        exported_at: options.exportedAt.toISOString(),
      };
      yield `${JSON.stringify(header)}\n`;
      const sums: Record<string, TableSum> = {};
      for (const table of await readTables(tx)) {
        options.onTable?.(table.name);
        yield `${JSON.stringify({ kind: 'table', table: table.name, columns: table.columns.map(({ name }) => name) })}\n`;
        const tally = new Tally();
        for await (const line of rowsOf(tx, table)) {
          tally.add(line);
          yield `${line}\n`;
        }
        sums[table.name] = tally.sum();
        rows[table.name] = tally.rows;
      }
      // After the rows: sequences know no snapshots, and a number too many is harmless.
      for (const sequence of await tx.many<{ name: string; last: string }>(sequences)) {
        yield `${JSON.stringify({ kind: 'sequence', ...sequence })}\n`;
      }
      yield `${JSON.stringify({ kind: 'end', sums })}\n`;
    }
    await pipeline(lines(), createGzip(), target);
    return { rows };
  });
}

async function* rowsOf(tx: Handle, { name, columns, primaryKey }: TableShape): AsyncGenerator<string> {
  // Names come from the catalog of our own schema.
  const values = columns.map((column) => `"${column.name}"::text`).join(', ');
  const order = primaryKey.map((column) => `"${column}"`).join(', ');
  await tx.run(
    dynamicStatement(
      `declare exported no scroll cursor for select json_build_array(${values})::text as line from "${name}" order by ${order}`,
    ),
  );
  for (;;) {
    const lines = await tx.many<{ line: string }>(dynamicStatement(`fetch ${batch} from exported`));
    for (const { line } of lines) yield `{"kind":"row","values":${line}}`;
    if (lines.length < batch) break;
  }
  await tx.run(dynamicStatement('close exported'));
}
