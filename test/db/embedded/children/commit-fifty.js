/** Fifty commits between two marks that a trace of the system calls can find; prints what the engine counted. */
import { existsSync } from 'node:fs';
import pg from 'pg';
import { openEmbedded } from '../../../../dist/db/embedded/open.js';
import { silentLog } from '../../../../dist/kernel/log.js';

const engine = await openEmbedded({ dir: process.argv[2], log: silentLog });
const pool = new pg.Pool(engine.poolConfig());
await pool.query('create table fifty (id integer primary key)');
const before = engine.syncCount();
existsSync('/mark-begin');
for (let id = 0; id < 50; id += 1) await pool.query('insert into fifty values ($1)', [id]);
existsSync('/mark-end');
console.log(engine.syncCount() - before);
await pool.end();
await engine.close();
