import { createHash, type Hash } from 'node:crypto';

/**
 * An export is gzipped JSON lines: a header, for each table its rows as lists of texts, the sequences, and at the end
 * how many rows each table had and a hash of their lines. Everything is text as PostgreSQL prints it, so that both
 * engines read it alike.
 */
export const formatVersion = 1;

export interface ExportHeader {
  satline: 'export';
  format: number;
  schema: number[];
  exported_at: string;
}

export interface TableSum {
  rows: number;
  /** Over the table's lines as they stand in the file. */
  sha256: string;
}

export type ExportLine =
  | { kind: 'table'; table: string; columns: string[] }
  | { kind: 'row'; values: (string | null)[] }
  | { kind: 'sequence'; name: string; last: string }
  | { kind: 'end'; sums: Record<string, TableSum> };

/** Counts and hashes lines as they are written or read. */
export class Tally {
  readonly #hash: Hash = createHash('sha256');
  rows = 0;

  add(line: string): void {
    this.#hash.update(line).update('\n');
    this.rows += 1;
  }

  sum(): TableSum {
    return { rows: this.rows, sha256: this.#hash.digest('hex') };
  }
}
