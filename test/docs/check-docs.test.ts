import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'satline-docs-'));
  write('package.json', JSON.stringify({ scripts: { check: 'true' } }));
  write('docs/generated/configuration.md', '# Configuration\n\n| `DATA_DIR` | | |\n');
  write(
    'docs/generated/command-line.md',
    '# Command line\n\n## satline start\n\n| `--demo` | |\n\n## satline key create\n',
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

async function faults(readme: string): Promise<string[]> {
  const links = '[settings](docs/generated/configuration.md), [commands](docs/generated/command-line.md)';
  write('README.md', `${links}\n\n${readme}`);
  // @ts-expect-error: the scripts are plain JavaScript
  const { findFaults } = (await import('../../scripts/check-docs.js')) as { findFaults(root: string): string[] };
  return findFaults(folder);
}

test('pages that name what is there are fine', async () => {
  write('src/config.ts', '');
  const readme = `\`src/config.ts\`, \`src/<noun>/<verb>.ts\`, [top](docs/generated/configuration.md#configuration), \`DATA_DIR\`,
\`npm run check\`, \`satline start --demo\`, \`satline key create\`, [elsewhere](https://example.com/docs/nothing.md)`;
  expect(await faults(readme)).toEqual([]);
});

test('what has gone is named with its page', async () => {
  write('docs/lost.md', '# Lost\n');
  const readme = `[a](docs/gone.md) [b](docs/generated/configuration.md#no-heading) \`src/gone.ts\` \`npm run gone\`
\`satline key sell\` \`satline key create \\\n  --demo --json\` \`GONE_DIR\``;
  expect(await faults(readme)).toEqual([
    'README.md: links to docs/gone.md, which is not there',
    'README.md: links to docs/generated/configuration.md#no-heading, and no heading there has that name',
    'README.md: names docs/gone.md, which is not there',
    'README.md: names src/gone.ts, which is not there',
    'README.md: names npm run gone, which package.json does not have',
    'README.md: names satline key sell, which is no command',
    'README.md: names --demo of satline key create, which it does not have',
    'README.md: names the variable GONE_DIR, which nothing reads',
    'docs/lost.md: no page links to it',
  ]);
});
