// A PostgreSQL database of one's own for each product that is measured.
import pg from 'pg';
import { cpuMillis } from './process.js';

const adminUrl = process.env.BENCH_DATABASE_URL ?? 'postgres://satline:satline@127.0.0.1/postgres';
let count = 0;

async function asAdmin(text) {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(text);
  } finally {
    await admin.end();
  }
}

export async function createDatabase() {
  const name = `satline_bench_${process.pid}_${count++}`;
  await asAdmin(`create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  return {
    url: url.href,
    /** @type {(text: string, values?: unknown[]) => Promise<any[]>} */
    query: async (text, values) => (await client.query(text, values)).rows,
    /** What its connections have used, all that are open; the server must be on this machine. */
    async cpuMillis() {
      const { rows } = await client.query('select pid from pg_stat_activity where datname = current_database()');
      return rows.reduce((sum, { pid }) => sum + cpuMillis(pid), 0);
    },
    async drop() {
      await client.end();
      await asAdmin(`drop database if exists ${name} with (force)`);
    },
  };
}
