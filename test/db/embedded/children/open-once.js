/** Opens, asks one question, closes. */
import pg from 'pg';
import { openEmbedded } from '../../../../dist/db/embedded/open.js';
import { silentLog } from '../../../../dist/kernel/log.js';

const engine = await openEmbedded({ dir: process.argv[2], log: silentLog });
const pool = new pg.Pool(engine.poolConfig());
const { rows } = await pool.query('select 1 as one');
await pool.end();
await engine.close();
console.log(rows[0].one === 1 ? 'opened' : 'wrong answer');
