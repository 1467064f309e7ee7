import { entries } from '#product/config.js';
import { code, table } from './markdown.js';

/** The environment variables, from `src/config.ts`. */
export function configurationDocument() {
  const rows = Object.entries(entries).map(([name, { fallback, description }]) => [
    code(name),
    fallback === '' ? '' : code(fallback),
    description,
  ]);
  return `# Configuration

Satline is set up by environment variables alone, read and checked once at start by \`src/config.ts\`. A value that makes
no sense ends the start with a sentence that names the variable.

${table(['variable', 'default', 'meaning'], rows)}`;
}
