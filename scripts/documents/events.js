import { eventCatalog, eventExample } from '#product/events/catalog.js';
import { code, table } from './markdown.js';

/** The event kinds with what they carry, from `src/events/catalog.ts`, and bodies as they really went out. */
export function eventsDocument() {
  const kinds = /** @type {(keyof typeof eventCatalog)[]} */ (Object.keys(eventCatalog));
  const rows = kinds.map((kind) => [code(kind), eventCatalog[kind].summary, objectOf(eventCatalog[kind].data)]);
  const examples = kinds.map(
    (kind) => `### ${kind}\n\n\`\`\`json\n${JSON.stringify(eventExample(kind), null, 2)}\n\`\`\``,
  );
  return `# Events

An event is written in the transaction of the change it tells of (\`src/events/outbox.ts\`), so there is no change
without its event and no event without its change. Its body is built once:

\`\`\`json
{"id": "evt_…", "event": "order.paid", "created_at": "2026-01-31T12:00:00.000Z", "livemode": false, "data": {"object": "order"}}
\`\`\`

\`data\` is the object as that transaction left it. These kinds exist (\`src/events/catalog.ts\`).

${table(['kind', 'when', 'data'], rows)}

## Examples

${examples.join('\n\n')}`;
}

/**
 * An object's kind, which its schema states as the only value of `object`.
 * @param {any} schema
 */
function objectOf({ properties }) {
  // Flat kinds have their members beside `id` and `event`.
  return properties.object ? code(properties.object.enum[0]) : 'its members beside `id`';
}
