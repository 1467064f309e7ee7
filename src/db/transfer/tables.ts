import { dynamicStatement, type Handle } from '../database.ts';

export interface TableShape {
  name: string;
  columns: { name: string; type: string; identity: boolean }[];
  primaryKey: string[];
}

const columnsOf = dynamicStatement(`
  select c.relname as "table", a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
         a.attidentity <> '' as identity,
         exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary and a.attnum = any(i.indkey)) as key
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> 'schema_migrations'
   order by c.relname, a.attnum`);
const references = dynamicStatement(`
  select c.conrelid::regclass::text as "from", c.confrelid::regclass::text as "to"
    from pg_constraint c
   where c.contype = 'f' and c.connamespace = current_schema()::regnamespace and c.conrelid <> c.confrelid`);

/** Every table of the schema, each after those it refers to, so that rows can be written in this order. */
export async function readTables(db: Handle): Promise<TableShape[]> {
  type ColumnRow = { table: string; name: string; type: string; identity: boolean; key: boolean };
  const rows = await db.many<ColumnRow>(columnsOf);
  const tables = new Map<string, TableShape>();
  for (const { table, name, type, identity, key } of rows) {
    const shape = tables.get(table) ?? { name: table, columns: [], primaryKey: [] };
    tables.set(table, shape);
    shape.columns.push({ name, type, identity });
    if (key) shape.primaryKey.push(name);
  }
  const arrows = await db.many<{ from: string; to: string }>(references);
  return inOrder([...tables.values()], arrows);
}

function inOrder(tables: TableShape[], arrows: { from: string; to: string }[]): TableShape[] {
  const ordered: TableShape[] = [];
  let waiting = tables;
  while (waiting.length > 0) {
    const done = new Set(ordered.map(({ name }) => name));
    const ready = waiting.filter(({ name }) => arrows.every(({ from, to }) => from !== name || done.has(to)));
    if (ready.length === 0) throw new Error(`Tables refer to each other in a ring: ${waiting.map(({ name }) => name)}`);
    ordered.push(...ready);
    waiting = waiting.filter((table) => !ready.includes(table));
  }
  return ordered;
}

const versions = dynamicStatement('select version from schema_migrations order by version');

/** Numbers of the migrations that made this schema. */
export async function readSchemaVersions(db: Handle): Promise<number[]> {
  return (await db.many<{ version: number }>(versions)).map(({ version }) => version);
}
