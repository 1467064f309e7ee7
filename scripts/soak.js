// `npm run test:soak`: the long storms, on the embedded database and, where TEST_DATABASE_URL names a server, on
// PostgreSQL; then what they measured goes into docs/reliability.md. Takes hours. With names of test files it runs those
// alone and prints what they measured.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const page = join(root, 'docs', 'reliability.md');
const [begin, end] = ['<!-- soak: begin -->', '<!-- soak: end -->'];

const chosen = process.argv.slice(2);
if (chosen.includes('--help')) {
  console.log(
    'npm run test:soak [-- FILE…]   long storms; TEST_DATABASE_URL adds PostgreSQL, KILLS and SEED are heard',
  );
  process.exit(0);
}
const scratch = mkdtempSync(join(tmpdir(), 'satline-soak-'));
const figuresFile = join(scratch, 'figures.jsonl');
const url = process.env.TEST_DATABASE_URL;
const runs = [
  ['embedded', undefined],
  ['PostgreSQL', url],
].filter(([name, value]) => name === 'embedded' || value !== undefined);
if (!url)
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
      ...(chosen.length > 0 ? chosen : ['test/storms', 'test/db']),
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
const table = [
  '| storm | database | what came out |',
  '| --- | --- | --- |',
  ...figures.map(({ what, database, figures: text }) => `| ${what} | ${database} | ${text} |`),
];
console.log(`\n${table.join('\n')}`);
if (failed) {
  console.error('\nSomething failed; docs/reliability.md stays as it was.');
  process.exit(1);
}
if (chosen.length === 0) {
  const text = readFileSync(page, 'utf8');
  const [before, after] = [text.slice(0, text.indexOf(begin) + begin.length), text.slice(text.indexOf(end))];
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(page, `${before}\n\nMeasured on ${day} with \`npm run test:soak\`.\n\n${table.join('\n')}\n\n${after}`);
}
