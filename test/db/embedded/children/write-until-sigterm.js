/** Writes from several callers at once until SIGTERM, then shuts down as the service does; prints the acknowledged count. */
import pg from 'pg';
import { openEmbedded } from '../../../../dist/db/embedded/open.js';
import { silentLog } from '../../../../dist/kernel/log.js';

let stopping = false;
process.on('SIGTERM', () => {
  stopping = true;
});
const engine = await openEmbedded({ dir: process.argv[2], log: silentLog });
const pool = new pg.Pool(engine.poolConfig());
await pool.query('create table load (id serial primary key, caller integer)');
let acknowledged = 0;
console.log('ready');
await Promise.all(
  [1, 2, 3, 4].map(async (caller) => {
    while (!stopping) {
      await pool.query('insert into load (caller) values ($1)', [caller]);
      acknowledged += 1;
    }
  }),
);
await pool.end();
await engine.close();
console.log(`acknowledged ${acknowledged}`);
