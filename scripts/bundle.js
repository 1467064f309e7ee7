// Gathers dist/ and the packages it uses into a few files, dist/bundle/: a start reads a dozen files instead of some two
// thousand, which takes most of a second. Packages that carry binaries, or are only wanted now and then, stay outside.
import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';

const outside = [
  '@electric-sql/pglite',
  '@node-rs/argon2',
  '@scalar/fastify-api-reference',
  'nodemailer',
  'oidc-provider',
  'pg-native',
  'tiny-secp256k1',
];

/** @param dist folder of the compiled modules */
export async function bundle(dist) {
  const target = join(dist, 'bundle');
  rmSync(target, { recursive: true, force: true });
  const build = await rolldown({
    input: { start: join(dist, 'start.js'), satline: join(dist, 'cli', 'satline.js') },
    platform: 'node',
    external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [{ name: 'own addresses', transform: (code, id) => keepAddress(code, relative(target, id)) }],
    logLevel: 'warn',
  });
  await build.write({ dir: target, format: 'esm', comments: { legal: true, annotation: false, jsdoc: false } });
  await build.close();
}

/** Files beside a module are found by the module's address, which is not the bundle's. */
function keepAddress(code, path) {
  if (path.includes('node_modules') || !code.includes('import.meta.url')) return null;
  return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(path)}, import.meta.url).href`);
}
