import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { codeOf, type EngineRig, openRig, temporaryDirectory } from './engine-rig.ts';

const { path, remove } = temporaryDirectory();
let rig: EngineRig;

beforeAll(async () => {
  rig = await openRig(path);
  await rig.pool.query('create table item (id integer primary key, value integer not null)');
});
afterAll(async () => {
  await rig.close();
  remove();
});
beforeEach(() => rig.pool.query('truncate item'));

/** Adds one in a transaction that gives every other caller the chance to come between. */
async function increment(client: pg.ClientBase, commit: boolean): Promise<void> {
  await client.query('begin');
  const { rows } = await client.query<{ value: number }>('select value from item where id = 1');
  await sleep(Math.random() * 4);
  await client.query('update item set value = $1 where id = 1', [rows[0]!.value + 1]);
  await client.query(commit ? 'commit' : 'rollback');
}

describe('sessions', () => {
  test('does not mix the transactions of one pool', async () => {
    await rig.pool.query('insert into item values (1, 0)');
    await Promise.all(
      Array.from({ length: 20 }, async (_, number) => {
        const client = await rig.pool.connect();
        try {
          await increment(client, number % 5 !== 0);
        } finally {
          client.release();
        }
      }),
    );
    expect((await rig.pool.query('select value from item')).rows).toEqual([{ value: 16 }]);
  });

  test('lets sessions that share the engine take turns by transactions', async () => {
    await rig.pool.query('insert into item values (1, 0)');
    const clients = Array.from({ length: 5 }, () => new pg.Client(rig.engine.poolConfig()));
    await Promise.all(
      clients.map(async (client, number) => {
        await client.connect();
        for (let round = 0; round < 4; round += 1) await increment(client, number !== round);
      }),
    );
    await Promise.all(clients.map((client) => client.end()));
    expect((await rig.pool.query('select value from item')).rows).toEqual([{ value: 16 }]);
  });

  test('rolls back what a thrown-away client left open, before the next one begins', async () => {
    const client = await rig.pool.connect();
    await client.query('begin');
    await client.query('insert into item values (7, 7)');
    await client.query(`set statement_timeout = '77s'`);
    client.release(true);
    expect((await rig.pool.query('select * from item')).rows).toEqual([]);
    expect((await rig.pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }]);
  });

  test('cleans up after a client that went away with half a conversation', async () => {
    const client = new pg.Client(rig.engine.poolConfig());
    client.on('error', () => {});
    await client.connect();
    await client.query('begin');
    await client.query('insert into item values (8, 8)');
    // Parse without a Sync after it: the engine is left in the middle of the extended protocol.
    const { connection } = client as unknown as {
      connection: { parse(query: object): void; stream: { destroy(): void } };
    };
    connection.parse({ name: '', text: 'selec nonsense', types: [] });
    await sleep(50);
    connection.stream.destroy();
    expect((await rig.pool.query('select * from item')).rows).toEqual([]);
  });

  test('survives failing statements inside and outside of transactions', async () => {
    await rig.pool.query('insert into item values (1, 1)');
    expect(await codeOf(rig.pool.query('insert into item values (1, 2)'))).toBe('23505');
    expect(await codeOf(rig.pool.query('selec'))).toBe('42601');
    const client = await rig.pool.connect();
    await client.query('begin');
    await client.query('savepoint here');
    expect(await codeOf(client.query('insert into item values (1, 2)'))).toBe('23505');
    expect(await codeOf(client.query('select 1'))).toBe('25P02');
    await client.query('rollback to here');
    await client.query('insert into item values (2, 2)');
    await client.query('commit');
    client.release();
    expect((await rig.pool.query('select count(*)::int as count from item')).rows).toEqual([{ count: 2 }]);
  });

  test('answers pipelined statements each on its own', async () => {
    const client = new pg.Client({ ...rig.engine.poolConfig(), pipeline: true } as pg.ClientConfig);
    await client.connect();
    const answers = await Promise.allSettled([
      client.query('insert into item values (1, 1)'),
      client.query('insert into item values (1, 1)'),
      client.query('insert into item values (2, 2)'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await client.end();
  });

  test('carries a value of 20 MB both ways', async () => {
    const value = 'väluë'.repeat(4_000_000);
    const { rows } = await rig.pool.query<{ value: string }>('select $1::text as value', [value]);
    expect(rows[0]!.value === value).toBe(true);
  });

  test('brings LISTEN back after a restart of the engine, and keeps it from the old session', async () => {
    const heard: string[] = [];
    const pool = new pg.Pool({
      ...rig.engine.poolConfig(),
      max: 1,
      onConnect: async (client) => {
        client.on('error', () => {});
        client.on('notification', ({ payload }) => heard.push(payload!));
        await client.query('listen news');
      },
    });
    pool.on('error', () => {});
    await pool.query(`notify news, 'first'`);
    await rig.engine.restart('test');
    await pool.query(`notify news, 'second'`);
    // The pool replaces a thrown-away client at once; the end of its session must not silence the new one.
    for (let round = 0; round < 5; round += 1) {
      (await pool.connect()).release(true);
      await pool.query(`notify news, 'again'`);
    }
    expect(heard).toEqual(['first', 'second', 'again', 'again', 'again', 'again', 'again']);
    await pool.end();
  });

  test('writes checkpoints by itself, which this build has no process for', async () => {
    await rig.pool.query('create table filler (text text)');
    let logBytes = 0;
    for (let round = 0; round < 12; round += 1) {
      await rig.pool.query('insert into filler select md5(random()::text) from generate_series(1, 80000)');
      await sleep(100);
    }
    await sleep(1000);
    await rig.pool.query('insert into item values (99, 99)');
    const { rows } = await rig.pool.query<{ bytes: number }>(
      'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()',
    );
    logBytes = rows[0]!.bytes;
    expect(logBytes).toBeLessThan(60e6);
    await rig.pool.query('drop table filler');
  });
});
