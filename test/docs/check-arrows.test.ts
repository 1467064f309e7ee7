import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';

let folder: string;
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What the checker says of a house with these files; each is given as the files it imports. */
async function faultsOf(files: Record<string, string[] | string>): Promise<string[]> {
  folder = mkdtempSync(join(tmpdir(), 'satline-arrows-'));
  for (const [name, imports] of Object.entries(files)) {
    const up = '../'.repeat(name.split('/').length - 1) || './';
    const text = typeof imports === 'string' ? imports : imports.map((one) => importLine(up, one)).join('\n');
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  // @ts-expect-error: the scripts are plain JavaScript
  const { findFaults } = (await import('../../scripts/check-arrows.js')) as { findFaults(source: string): string[] };
  return findFaults(folder);
}

function importLine(up: string, name: string): string {
  return name.endsWith('.ts') ? `import { a } from '${up}${name}';` : `import a from '${name}';`;
}

test('arrows that go down are fine, over any number of floors', async () => {
  expect(
    await faultsOf({
      'main.ts': ['surfaces/door.ts', 'kernel/ids.ts'],
      'surfaces/door.ts': ['flows/pay.ts'],
      'flows/pay.ts': ['store/orders.ts', 'wallets/choose.ts'],
      'wallets/choose.ts': ['lightning/connector.ts'],
      'lightning/connector.ts': ['model/connection.ts'],
      'store/orders.ts': ['db/database.ts', 'model/order.ts'],
      'model/connection.ts': [],
      'model/order.ts': ['kernel/ids.ts'],
      'db/database.ts': ['pg'],
      'kernel/ids.ts': ['node:crypto'],
    }),
  ).toEqual([]);
});

describe('names the files of', () => {
  test('an arrow that goes up', async () => {
    expect(await faultsOf({ 'store/orders.ts': ['flows/pay.ts'], 'flows/pay.ts': [] })).toEqual([
      'store/orders.ts → flows/pay.ts: goes up from store to flows',
    ]);
  });

  test('a ring of files, types included', async () => {
    const faults = await faultsOf({
      'flows/a.ts': `import type { B } from './b.ts';`,
      'flows/b.ts': `export const load = () => import('./c.ts');`,
      'flows/c.ts': `import {\n  a,\n} from './a.ts';`,
    });
    expect(faults).toEqual(['a ring: flows/a.ts → flows/b.ts → flows/c.ts → flows/a.ts']);
  });

  test('a ring of rooms on one floor, with an arrow for each side', async () => {
    const faults = await faultsOf({
      'events/outbox.ts': ['auth/key.ts'],
      'events/catalog.ts': [],
      'auth/key.ts': [],
      'auth/caller.ts': ['events/catalog.ts'],
    });
    expect(faults).toEqual([
      'a ring of rooms, auth → events → auth: auth/caller.ts → events/catalog.ts; events/outbox.ts → auth/key.ts',
    ]);
  });

  test('a resource that imports another', async () => {
    const faults = await faultsOf({
      'resources/index.ts': ['resources/orders/index.ts'],
      'resources/orders/index.ts': ['resources/orders/get-order.ts'],
      'resources/orders/get-order.ts': ['resources/invoices/view.ts'],
      'resources/invoices/view.ts': [],
    });
    expect(faults).toEqual([
      'resources/orders/get-order.ts → resources/invoices/view.ts: resources share through flows, model or store, never with each other',
    ]);
  });

  test('a door that is shut', async () => {
    const faults = await faultsOf({
      'surfaces/door.ts': ['store/orders.ts'],
      'store/orders.ts': ['fastify'],
      'model/order.ts': ['db/database.ts'],
      'db/database.ts': [],
      'lightning/lnurl.ts': ['model/order.ts'],
      'kernel/ids.ts': [],
      'flows/pay.ts': ['pg'],
    });
    expect(faults).toEqual([
      'flows/pay.ts → pg: only db/ speaks to a database',
      'store/orders.ts → fastify: knows no HTTP',
      'lightning/lnurl.ts → model/order.ts: lightning may import only itself, kernel/, model/connection.ts',
      'model/order.ts → db/database.ts: model knows no database',
      'surfaces/door.ts → store/orders.ts: surfaces go through perform() or flows',
    ]);
  });

  test('a barrel, and a room without a floor', async () => {
    const faults = await faultsOf({
      'flows/index.ts': [],
      'flows/pay.ts': `export { a } from './a.ts';`,
      'flows/a.ts': '',
      'utils/text.ts': '',
    });
    expect(faults).toEqual([
      'flows/index.ts: only resources/ has index.ts; name the file after what it holds',
      "flows/pay.ts: passes on another file's exports; import from that file instead",
      'utils/text.ts: utils/ stands on no floor; give it one',
    ]);
  });
});
