import { afterAll, beforeAll, expect, test } from 'vitest';
import { sealedUnder } from '../../src/kernel/secrets.ts';
import { sealedColumns } from '../../src/model/sealed-columns.ts';
import { openTestApp, type TestApp } from '../harness/app.ts';
import { type BusyShop, openBusyShop, unusedMailServer } from '../harness/busy-shop.ts';

let app: TestApp;
let shop: BusyShop;
beforeAll(async () => {
  app = await openTestApp({ watch: false, env: unusedMailServer });
  shop = await openBusyShop(app);
});
afterAll(async () => {
  await shop.close();
  await app.close();
});

const declared = sealedColumns.map(({ table, column }) => `${table}.${column}`).sort();

/** Bytes that lie open, and why they may. Hashes do by their name. */
const openBytes = {
  'merchant_documents.content': 'documents that the operator gave the merchant, read over the API',
};

interface Column {
  name: string;
  table: string;
  column: string;
  type: string;
  nullable: string;
}
const columns = () =>
  app.rows<Column>(
    `select table_name || '.' || column_name as name, table_name as table, column_name as column, data_type as type
       from information_schema.columns join information_schema.tables using (table_schema, table_name)
      where table_schema = current_schema() and table_type = 'BASE TABLE' order by 1`,
  );

test('every column of bytes is declared as sealed, or is known to be open', async () => {
  const bytes = (await columns())
    .filter(({ type, column }) => type === 'bytea' && !/(^|_)hash$/.test(column))
    .map(({ name }) => name);
  expect(bytes).toEqual([...declared, ...Object.keys(openBytes)].sort());
});

test('in a shop where everything happens, every declared column has sealed values, and no other', async () => {
  const keyId = app.parts.sealer.keyId;
  // However the bytes are written: as they are, in hex, in base64.
  const head = Buffer.concat([Buffer.of(1), Buffer.from(keyId, 'hex')]);
  const marks = [head.toString('hex'), head.toString('base64').slice(0, 6), head.toString('base64url').slice(0, 6)];
  const found = new Set<string>();
  for (const { name, table, column, type } of await columns()) {
    const values = await app.rows<{ bytes: Buffer | null; text: string }>(
      type === 'bytea'
        ? `select "${column}" as bytes from "${table}" where "${column}" is not null`
        : `select "${column}"::text as text from "${table}" where "${column}" is not null`,
    );
    const isSealed = ({ bytes, text }: { bytes: Buffer | null; text: string }) =>
      bytes ? sealedUnder(bytes) === keyId : marks.some((mark) => text.startsWith(mark) || text.includes(`"${mark}`));
    if (values.some(isSealed)) found.add(name);
    if (declared.includes(name)) expect(values.every(isSealed), name).toBe(true);
  }
  expect([...found].sort()).toEqual(declared);
});

test('what names the rows of a sealed column is its primary key', async () => {
  for (const { table, key } of sealedColumns) {
    const primary = await app.rows<{ name: string; type: string }>(
      `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type
         from pg_index i cross join unnest(i.indkey) with ordinality as k (number, place)
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number
        where i.indrelid = $1::regclass and i.indisprimary order by k.place`,
      [table],
    );
    expect(primary, table).toEqual(key);
  }
});
