import { stringify } from 'csv-stringify/sync';
import type { TSchema } from 'typebox';
import type { Answer, ListAnswer } from './answer.ts';
import type { Call, Operation, OperationInput } from './operation.ts';

// Few enough that little of a page outlives it: with 500 the heap of a process grows by half.
const rowsAtOnce = 100;

/** Everything a list holds, filtered as asked, as CSV (RFC 4180) that is written while it is read. */
export function csvAnswer(operation: Operation, call: Call, input: OperationInput): Answer {
  return {
    status: 200,
    mediaType: 'text/csv; charset=utf-8; header=present',
    body: '',
    headers: { 'content-disposition': `attachment; filename="${operation.name.replace(/^list_/, '')}.csv"` },
    stream: csvOf(operation, call, input),
  };
}

async function* csvOf(operation: Operation, call: Call, input: OperationInput): AsyncGenerator<string> {
  const columns = columnsOf(operation);
  yield stringify([columns]);
  let after: { createdAt: string; id: string } | undefined;
  for (;;) {
    // A clean end would make half a list look whole: the connection breaks instead.
    if (call.signal.aborted) throw new Error('The service stopped, or the caller left, before the list was whole');
    const page = { page: 1, perPage: rowsAtOnce, walk: { after } };
    const { result } = (await operation.run!(call, { ...input, page })) as ListAnswer;
    const rows = result.rows as readonly Record<string, unknown>[];
    if (rows.length > 0) yield stringify(rows.map((row) => columns.map((column) => cell(row[column]))));
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return;
    after = { createdAt: String(last.created_at), id: String(last.id) };
  }
}

/** The members of the item, without whole resources that show beside it: those have lists of their own. */
function columnsOf({ answer }: Operation): string[] {
  if (answer.kind !== 'list') return [];
  const { properties } = answer.item as TSchema & { properties: Record<string, unknown> };
  return Object.entries(properties)
    .filter(([, schema]) => !JSON.stringify(schema).includes('"object":{"type":"string","enum"'))
    .map(([name]) => name);
}

// Also in full width, which some spreadsheets read as the plain sign, and behind a line end, which some skip.
const formulaStart = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Text that a spreadsheet would take for a formula gets an apostrophe in front; numbers stay numbers. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isFormula = typeof value === 'string' && formulaStart.test(text) && !/^-?\d+(\.\d+)?$/.test(text);
  return isFormula ? `'${text}` : text;
}
