import { operations } from '#product/resources/index.js';
import { publishableTool } from '#product/surfaces/mcp/call-tool.js';
import { toTool } from '#product/surfaces/mcp/tool.js';
import { code, table } from './markdown.js';

/** The tools over MCP, from the same operations as everything else. */
export function toolsDocument() {
  const tools = operations.filter(({ tool }) => tool).map(toTool);
  const rows = tools
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((tool) => [
      code(tool.name),
      tool.listed.description,
      argumentsOf(tool),
      keysFor(tool.operation),
      effectOf(tool),
    ]);
  return `# Tools

What AI agents see over MCP ([agents](../agents.md)): one line per operation of \`src/resources/index.ts\` that is a tool.
Arguments with a star are required. Amounts named \`*_cents\` are whole numbers in minor units of their currency.

${table(['tool', 'what a model is told', 'arguments', 'who may', 'effect'], rows)}`;
}

function argumentsOf({ arguments: known }) {
  return [...known].map(([name, { isRequired }]) => code(name) + (isRequired ? '*' : '')).join(', ');
}

/** @param {import('#product/operation/operation.js').Operation} operation */
function keysFor({ name, access: { permission, oauthScope, public: isPublic } }) {
  const scope = oauthScope ?? (permission?.startsWith('catalog:') ? 'catalog' : undefined);
  return [
    isPublic || permission === undefined ? 'any secret key' : code(permission),
    ...(name === publishableTool ? ['a publishable key'] : []),
    ...(scope ? [`a connection with ${code(scope)}`] : []),
  ].join(', ');
}

function effectOf({ listed: { annotations } }) {
  if (annotations.readOnlyHint) return 'reads';
  return annotations.destructiveHint ? 'changes or ends' : 'adds';
}
