// Compiles src/ into dist/, puts the files beside it that are no TypeScript, and gathers what runs into dist/bundle/. Does
// nothing when dist/ is up to date.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const asset = (name) => !/\.tsx?$/.test(name);

function newest(folder) {
  return Math.max(
    ...readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
}

const stamp = join(root, 'dist', '.built');
const settings = ['tsconfig.json', 'package-lock.json', 'scripts/bundle.js'];
const sources = Math.max(newest(join(root, 'src')), ...settings.map((file) => statSync(join(root, file)).mtimeMs));
const upToDate = existsSync(stamp) && statSync(stamp).mtimeMs > sources;
if (!upToDate || process.argv.includes('--force')) {
  if (process.argv.includes('--force')) rmSync(join(root, 'dist'), { recursive: true, force: true });
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.json')], { stdio: 'inherit' });
  // Tests want the code that runs; `npm run check` is what judges types. CI stays strict.
  const lenient = process.argv.includes('--lenient') && !process.env.CI;
  if (status !== 0 && !lenient) process.exit(status ?? 1);
  cpSync(join(root, 'src'), join(root, 'dist'), {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || asset(path),
  });
  await bundle(join(root, 'dist'));
  writeFileSync(stamp, '');
}
