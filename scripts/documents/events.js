import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventKinds } from '../../dist/events/catalog.js';
import { code, table } from './markdown.js';

/** The event kinds with the files that record them; found by reading the sources, so no list can be forgotten. */
export function eventsDocument(root) {
  const sources = readdirSync(join(root, 'src'), { recursive: true })
    .filter((name) => name.endsWith('.ts') && name !== join('events', 'catalog.ts'))
    .sort()
    .map((name) => ({ name: `src/${name}`, text: readFileSync(join(root, 'src', name), 'utf8') }));
  const rows = eventKinds.map((kind) => {
    const recorders = sources.filter(({ text }) => text.includes(`'${kind}'`));
    return [code(kind), recorders.map(({ name }) => `[${name}](../../${name})`).join(', ') || 'not yet'];
  });
  return `# Events

An event is written in the transaction of the change it tells of (\`src/events/outbox.ts\`), so there is no change
without its event and no event without its change. Its body is built once:

\`\`\`json
{"id": "evt_…", "event": "order.paid", "created_at": "2026-01-31T12:00:00.000Z", "livemode": false, "data": {"object": "order"}}
\`\`\`

\`data\` is the object as that transaction left it. These kinds exist (\`src/events/catalog.ts\`); the ones marked
“not yet” may be named already and do not fire.

${table(['kind', 'recorded by'], rows)}`;
}
