// Measures the product against a yardstick that runs in the same minute on the same machine: figures to trust are the
// ratios. See README.md.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createDatabase } from './parts/database.js';
import { performancePage } from './parts/performance-page.js';
import { toTable } from './parts/table.js';
import { catalog } from './rows/catalog.js';
import { checkoutPage } from './rows/checkout-page.js';
import { createOrder } from './rows/create-order.js';
import { directory } from './rows/directory.js';
import { exportSales } from './rows/export-sales.js';
import { flood } from './rows/flood.js';
import { limits } from './rows/limits.js';
import { listOrders } from './rows/list-orders.js';
import { lookUps } from './rows/look-ups.js';
import { orderWithInvoice } from './rows/order-with-invoice.js';
import { readOrder } from './rows/read-order.js';
import { secondProcess } from './rows/second-process.js';
import { settlement } from './rows/settlement.js';
import { signIns } from './rows/sign-ins.js';
import { start } from './rows/start.js';
import { toolCall } from './rows/tool-call.js';
import { verifyAccess } from './rows/verify-access.js';
import { webhooks } from './rows/webhooks.js';

const rows = {
  read: readOrder,
  verify: verifyAccess,
  create: createOrder,
  invoice: orderWithInvoice,
  list: listOrders,
  csv: exportSales,
  directory,
  tool: toolCall,
  catalog,
  page: checkoutPage,
  flood,
  limits,
  signins: signIns,
  settle: settlement,
  looks: lookUps,
  webhook: webhooks,
  second: secondProcess,
  start,
};

const help = `npm run bench -- [options]

  --only NAME,…     some rows: ${Object.keys(rows).join(', ')}
  --rounds NUMBER   rounds of each candidate; the figure is their median (3)
  --seconds NUMBER  how long a round takes (1.5)
  --sales NUMBER    sales of the row csv (50000)
  --compare DIST    another build beside this one
  --dist DIST       another build in place of this one
  --json            for programs
  --write           also into docs/performance.md`;

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const options = readOptions(process.argv.slice(2));
const builds = options.compare
  ? [
      { name: ' [this]', dist: join(root, 'dist') },
      { name: ' [compared]', dist: resolve(options.compare) },
    ]
  : [{ name: '', dist: options.dist ? resolve(options.dist) : join(root, 'dist') }];

if (!options.dist) {
  const built = spawnSync(process.execPath, [join(root, 'scripts', 'build.js')], { stdio: 'inherit' });
  if (built.status !== 0) process.exit(1);
}
for (const { dist } of builds)
  if (!existsSync(join(dist, 'bundle', 'start.js'))) fail(`${dist} has no bundle/start.js`);

const machine = await describeMachine();
if (!options.json) console.log(`${machine}\n`);
const lines = [];
for (const [name, run] of Object.entries(rows)) {
  if (options.only && !options.only.includes(name)) continue;
  if (!options.json) process.stderr.write(`${name} …\n`);
  lines.push(...(await run({ builds, seconds: options.seconds, sales: options.sales, count: options.rounds })));
}
if (options.json) console.log(JSON.stringify({ machine, lines }, null, 2));
else console.log(toTable(lines));
if (options.write) {
  const file = join(root, 'docs', 'performance.md');
  const day = new Date().toISOString().slice(0, 10);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  writeFileSync(file, performancePage({ before, lines, onlySome: options.only !== undefined, machine, day }));
}
process.exit(0);

function readOptions(args) {
  /** @type {import('node:util').ParseArgsConfig['options']} */
  const known = {
    only: { type: 'string' },
    seconds: { type: 'string', default: '1.5' },
    rounds: { type: 'string', default: '3' },
    sales: { type: 'string', default: '50000' },
    dist: { type: 'string' },
    compare: { type: 'string' },
    json: { type: 'boolean' },
    write: { type: 'boolean' },
    help: { type: 'boolean' },
  };
  let values;
  try {
    ({ values } = parseArgs({ args, options: known }));
  } catch (error) {
    fail(`${/** @type {Error} */ (error).message}\n\n${help}`);
  }
  if (values.help) {
    console.log(help);
    process.exit(0);
  }
  const only = values.only?.split(',');
  const unknown = only?.find((name) => !rows[name]);
  if (unknown !== undefined) fail(`There is no row ${unknown}; there are ${Object.keys(rows).join(', ')}`);
  const [seconds, rounds, sales] = ['seconds', 'rounds', 'sales'].map((name) => Number(values[name]));
  if (!(seconds > 0)) fail('--seconds needs a number above 0');
  if (!Number.isInteger(rounds) || rounds < 1) fail('--rounds needs a whole number above 0');
  if (!Number.isInteger(sales) || sales < 1) fail('--sales needs a whole number above 0');
  return { ...values, only, seconds, rounds, sales };
}

async function describeMachine() {
  const database = await createDatabase();
  const [{ version }] = await database.query(`select current_setting('server_version') as version`);
  await database.drop();
  const processors = cpus();
  return (
    `${processors.length} × ${processors[0].model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}, ` +
    `Node ${process.versions.node}, PostgreSQL ${version.split(' ')[0]}; load generator and database on the same machine`
  );
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
