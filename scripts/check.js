// `npm run check`: all that can be said of the code without running it. The checks run side by side; each prints its
// own faults, and one line at the end says how they went.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bin = (name) => join('node_modules', '.bin', name);

/** Steps of one check run after each other: generated files need dist/, and there are not processors for all at once. */
const checks = {
  types: [
    [bin('tsc'), '-p', 'tsconfig.check.json'],
    [bin('tsc'), '-p', 'bench/tsconfig.json'],
    [bin('tsc'), '-p', 'scripts/tsconfig.json'],
  ],
  'lint and format': [[bin('biome'), 'ci', '--colors=off', '.']],
  arrows: [[process.execPath, 'scripts/check-arrows.js']],
  documents: [[process.execPath, 'scripts/check-docs.js']],
  'generated files': [
    [process.execPath, 'scripts/build.js'],
    [process.execPath, 'scripts/generate.js', '--check'],
  ],
};

async function run([command, ...args]) {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  child.stderr.on('data', (chunk) => chunks.push(chunk));
  const status = await new Promise((resolve) => {
    child.on('error', (error) => {
      chunks.push(Buffer.from(`${error.message}\n`));
      resolve(1);
    });
    child.on('close', (code) => resolve(code ?? 1));
  });
  return { status, output: Buffer.concat(chunks).toString() };
}

async function check(name, steps) {
  const start = performance.now();
  for (const step of steps) {
    const { status, output } = await run(step);
    if (status === 0) continue;
    console.error(`\n── ${name}\n${output.trimEnd()}\n`);
    return { name, good: false };
  }
  console.log(`${name}: good (${((performance.now() - start) / 1000).toFixed(1)} s)`);
  return { name, good: true };
}

const outcomes = await Promise.all(Object.entries(checks).map(([name, steps]) => check(name, steps)));
const bad = outcomes.filter(({ good }) => !good).map(({ name }) => name);
console.log(bad.length === 0 ? 'All checks are good.' : `Not good: ${bad.join(', ')}.`);
process.exitCode = bad.length === 0 ? 0 : 1;
