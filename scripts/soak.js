// `npm run test:soak`: the long storms, on the embedded database and, where TEST_DATABASE_URL names a server, on
// PostgreSQL. Takes hours. What each storm measured replaces its row in docs/reliability.md; with names of test files only
// those run, and the other rows stay.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mergeFigures, readTable, writeTable } from './documents/soak-table.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, 'docs', 'reliability.md');

const help = `npm run test:soak [-- [--on embedded|postgresql] [FILE…]]

Long storms, and pages at every width. TEST_DATABASE_URL adds PostgreSQL; --on leaves the other database out; KILLS and SEED are heard.`;
const { values: options, positionals: chosen } = parseArgs({
  options: { on: { type: 'string' }, help: { type: 'boolean' } },
  allowPositionals: true,
});
if (options.help || ![undefined, 'embedded', 'postgresql'].includes(options.on)) {
  console.log(help);
  process.exit(options.help ? 0 : 2);
}
const scratch = mkdtempSync(join(tmpdir(), 'satline-soak-'));
const figuresFile = join(scratch, 'figures.jsonl');
const url = process.env.TEST_DATABASE_URL;
const runs = [
  ['embedded', undefined],
  ['PostgreSQL', url],
].filter(([name, value]) => (name === 'embedded' || value) && (!options.on || options.on === name?.toLowerCase()));
if (!url && options.on !== 'embedded')
  console.log('TEST_DATABASE_URL is not set: PostgreSQL is left out, and with it every race between processes.');

let failed = false;
for (const [name, value] of runs) {
  console.log(`\n==== ${name}\n`);
  const { TEST_DATABASE_URL: _, ...env } = process.env;
  const { status } = spawnSync(
    process.execPath,
    [
      join('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--maxWorkers=1',
      ...(chosen.length > 0 ? chosen : ['test/storms', 'test/db', 'test/browser']),
    ],
    {
      cwd: root,
      stdio: 'inherit',
      env: { ...env, SOAK: '1', SOAK_FIGURES: figuresFile, ...(value ? { TEST_DATABASE_URL: value } : {}) },
    },
  );
  failed ||= status !== 0;
}

const figures = existsSync(figuresFile)
  ? readFileSync(figuresFile, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
rmSync(scratch, { recursive: true, force: true });

const day = new Date().toISOString().slice(0, 10);
const text = readFileSync(page, 'utf8');
const rows = mergeFigures(
  readTable(text),
  figures.map((row) => ({ ...row, day })),
);
writeFileSync(page, writeTable(text, rows));
for (const { what, database, figures: measured } of figures) console.log(`${what}, ${database}: ${measured}`);
if (failed) {
  console.error('\nSomething failed. What was measured is in docs/reliability.md all the same.');
  process.exit(1);
}
