// pgbench on the statements that the product itself sends: they are recorded from one call, and what must differ from
// call to call (ids, the order's number) is made by the database instead.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { load, newOrder, openInside } from './inside.js';

/** The statements of one order being created, from BEGIN to COMMIT, with their values. */
export async function recordCreateOrder(dist, database, merchant) {
  const inside = await openInside(dist, database);
  const { buildApp } = await load(dist, 'app.js');
  const app = await buildApp(inside.parts);
  const create = () =>
    app.inject({
      method: 'POST',
      url: '/api/v1/m/orders',
      headers: { authorization: `Bearer ${merchant.key}` },
      payload: newOrder,
    });
  const { query } = pg.Client.prototype;
  const send = /** @type {(...given: any[]) => any} */ (query);
  const sent = [];
  try {
    await create();
    pg.Client.prototype.query = function (config, ...rest) {
      sent.push({ client: this, text: config.text ?? config, values: config.values ?? [] });
      return send.call(this, config, ...rest);
    };
    const answer = await create();
    if (answer.statusCode !== 201) throw new Error(answer.payload);
    const { client } = sent.find(({ text }) => /^begin/i.test(text));
    return { order: answer.json(), statements: sent.filter((statement) => statement.client === client) };
  } finally {
    pg.Client.prototype.query = query;
    await app.close();
    await inside.close();
  }
}

/** A pgbench script for an order of one of `merchants`, taken at random, and the variables it wants. */
function toScript({ order, statements }, merchants) {
  const made = new RegExp(`(${order.id}|${order.order_number}|${order.merchant_id}|evt_[0-9A-Za-z]{24})`);
  const sequence = '(select sequence from bench_merchants where number = :merchant)';
  const variables = {};
  let idMade = false;

  /** What stands for a value: a variable, or SQL that makes it anew each time. */
  function expression(value) {
    if (value === null || value === undefined) return 'null';
    const text = toText(value);
    if (text === order.merchant_id) return '(select id from bench_merchants where number = :merchant)';
    // In the event's body they stay: only its length counts.
    const parts = text.length > 200 ? [text] : text.split(made).filter((part) => part !== '');
    return `(${parts.map(part).join(' || ')})${text === order.id ? '::uuid' : ''}`;
  }

  function part(text) {
    if (text === order.id) {
      // Rising, as the product's own ids are: the indexes grow at their end.
      const next = idMade ? `currval('bench_ids')` : `nextval('bench_ids')`;
      idMade = true;
      return `'01930000-0000-7000-8000-' || lpad(to_hex(${next}), 12, '0')`;
    }
    if (text === order.order_number) return `'ORD-' || lpad(currval(${sequence}::regclass)::text, 6, '0')`;
    if (text.startsWith('evt_')) return `'evt_' || md5(currval('bench_ids')::text)`;
    if (text.startsWith('order_numbers_')) return sequence;
    const known = Object.entries(variables).find(([, content]) => content === text);
    const name = known?.[0] ?? `v${Object.keys(variables).length}`;
    variables[name] = text;
    return `:${name}`;
  }

  const lines = statements.map(({ text, values }) => {
    const line = text.replace(/\$(\d+)/g, (_, index) => expression(values[index - 1]));
    return `${line.replace(/\s+/g, ' ')};`;
  });
  return { script: [`\\set merchant random(1, ${merchants})`, ...lines].join('\n'), variables };
}

function toText(value) {
  if (Array.isArray(value)) return `{${value.map((element) => JSON.stringify(toText(element))).join(',')}}`;
  if (value instanceof Date) return value.toISOString();
  return String(value);
}

/** Makes what the scripts refer to in the product's database. */
export async function preparePgbench(database, merchants) {
  await database.query('create sequence bench_ids');
  await database.query('create table bench_merchants (number integer primary key, id uuid, sequence text)');
  for (const [index, { id }] of merchants.entries()) {
    const sequence = `order_numbers_${id.replaceAll('-', '')}_test`;
    await database.query('insert into bench_merchants values ($1, $2, $3)', [index + 1, id, sequence]);
  }
  await database.query('vacuum analyze bench_merchants');
}

/** Creates orders of `merchants` merchants for a while. */
export function pgbenchOrders({ directory, database, recorded, merchants }) {
  const { script, variables } = toScript(recorded, merchants);
  const path = join(directory, `create-${merchants}.sql`);
  writeFileSync(path, script);
  const defined = Object.entries(variables).flatMap(([name, text]) => ['-D', `${name}=${text}`]);
  return (seconds, clients) =>
    runPgbench([
      ...['-n', '-M', 'prepared', '-c', String(clients), '-T', String(Math.max(1, Math.round(seconds)))],
      ...['-f', path, ...defined, database.url],
    ]);
}

async function runPgbench(args) {
  const child = spawn(pgbenchPath(), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  const rate = Number(/tps = ([\d.]+)/.exec(output)?.[1]);
  const failed = Number(/number of failed transactions: (\d+)/.exec(output)?.[1] ?? 0);
  if (!rate || /ERROR|aborted/.test(output)) throw new Error(`pgbench: ${output}`);
  return { rate, failed, latencies: [] };
}

function pgbenchPath() {
  if (process.env.PGBENCH) return process.env.PGBENCH;
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions.map((version) => join(debian, version, 'bin', 'pgbench')).find(existsSync);
  return found ?? 'pgbench';
}
