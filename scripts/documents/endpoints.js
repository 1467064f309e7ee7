import { filterNames } from '#product/kernel/filters.js';
import { operations } from '#product/resources/index.js';
import { code, groupBy, table } from './markdown.js';

/** The endpoint table, from the operations in `src/resources/index.ts`. */
export function endpointsDocument() {
  const groups = groupBy(operations, ({ path }) => nounOf(path));
  return `# Endpoints

One line per operation of \`src/resources/index.ts\`. Bodies, answers and parameters stand in [openapi.json](openapi.json),
which a running service also shows as a page at \`/docs\`; codes stand in [errors.md](errors.md).

A call needs a secret key (\`sk_…\`) with the permission named, or a publishable key (\`pk_…\`) where it says so. Lists
answer pages (\`page\`, \`per_page\`) and take the filters below them. Operations marked as repeatable take an
\`Idempotency-Key\`: the same key with the same input gets the first answer again, for 24 hours.

${[...groups].map(([noun, members]) => section(noun, members)).join('\n\n')}`;
}

/** The first segment behind the version that says what it is about: `/api/v1/m/orders/{id}` is about orders. */
function nounOf(path) {
  return path
    .split('/')
    .slice(3)
    .find((segment) => segment !== 'm' && segment !== 'pub');
}

function section(noun, members) {
  const rows = members.map((operation) => [
    `${code(`${operation.method} ${operation.path}`)}`,
    operation.summary + (operation.description ? `. ${operation.description}` : ''),
    access(operation.access),
    operation.idempotency === 'none' ? '' : 'yes',
    code(operation.name) + (operation.tool ? '' : ' (no tool)'),
  ]);
  const filters = members.filter(({ query }) => query.filters).map(filterLine);
  const expansions = members.filter(({ query }) => query.expand).map(expandLine);
  return [
    `## ${noun}`,
    table(['call', 'what it does', 'who may', 'repeatable', 'operation'], rows),
    ...filters,
    ...expansions,
  ].join('\n\n');
}

function access({ permission, publishable, testOnly, public: isPublic }) {
  if (isPublic) return 'anybody';
  const keys = permission === undefined ? 'any secret key' : code(permission);
  return keys + (publishable ? ' or a publishable key' : '') + (testOnly ? ', test keys only' : '');
}

function filterLine({ name, query }) {
  const fields = groupBy(filterNames(query.filters), ({ name, predicate }) => name.slice(0, -predicate.length - 1));
  const lines = [...fields].map(
    ([field, filters]) => `- ${code(field)}: ${filters.map(({ predicate }) => predicate).join(', ')}`,
  );
  return `Filters of ${code(name)}, as \`q[field_predicate]=value\`:\n\n${lines.join('\n')}`;
}

function expandLine({ name, query }) {
  return `${code(name)} takes \`expand=\` with any of ${query.expand.map(code).join(', ')}.`;
}
