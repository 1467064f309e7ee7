/** Mixed writes; prints the ids of each statement or transaction once the database has acknowledged it. */
import { writeSync } from 'node:fs';
import pg from 'pg';
import { openEmbedded } from '../../../../dist/db/embedded/open.js';
import { silentLog } from '../../../../dist/kernel/log.js';

const [directory, round] = process.argv.slice(2);
const say = (line) => writeSync(1, `${line}\n`);
const engine = await openEmbedded({ dir: directory, log: silentLog });
const pool = new pg.Pool(engine.poolConfig());
await pool.query('create table if not exists kept (id text primary key, partner text, filler text)');
await pool.query('create table if not exists counter (name text primary key, value integer not null)');
say('ready');

const insert = 'insert into kept (id, partner, filler) values ($1, $2, $3)';
for (let number = 0; ; number += 1) {
  const id = `${round}-${number}`;
  if (number % 5 === 4) {
    const client = await pool.connect();
    await client.query('begin');
    await client.query(insert, [`${id}a`, `${id}b`, null]);
    await client.query(
      'insert into counter values ($1, 1) on conflict (name) do update set value = counter.value + 1',
      [round],
    );
    await client.query(insert, [`${id}b`, `${id}a`, null]);
    await client.query('commit');
    client.release();
    say(`${id}a ${id}b`);
  } else {
    await pool.query(insert, [id, null, number % 20 === 7 ? Math.random().toString(36).repeat(15_000) : 'small']);
    say(id);
  }
  if (number % 50 === 30) await pool.query('checkpoint');
}
