// A tool call over MCP, with its line in the log of tool calls, over the same call by REST: reading an order, and creating
// one. What a call costs is CPU, of the product and of its database. An agent makes one call after the other; a crowd of them
// shares statements, so that what a call by REST costs shrinks and what a tool call adds does not. A till's few agents are
// what the goal is held against, and what a crowd pays stands beside it
// (docs/decisions/tool-calls-are-measured-with-few-agents.md).
import { newOrder } from '../parts/inside.js';
import { call, closedLoop, get, median, post } from '../parts/load.js';
import { ratio, rounds, settlingSeconds } from '../parts/rounds.js';
import { openShop } from '../parts/shop.js';

const fewAgents = [1, 4];
const crowd = 16;
const orders = 200;

export async function toolCall({ builds, seconds, count }) {
  const lines = [];
  for (const { name, dist } of builds) {
    const {
      merchant: { key },
      product,
      database,
      close,
    } = await openShop({ dist });
    try {
      const ids = [];
      for (let index = 0; index < orders; index++) {
        const { body } = await call(product.url, post('/api/v1/m/orders', key, newOrder));
        ids.push(body.id);
      }
      lines.push(
        await compare(`read an order: a tool call over REST${name}`, {
          rest: ids.map((id) => get(`/api/v1/m/orders/${id}`, key)),
          tool: ids.map((id) => toolRequest(key, 'get_order', { order_id: id })),
        }),
        await compare(`create an order: a tool call over REST${name}`, {
          rest: [post('/api/v1/m/orders', key, newOrder)],
          tool: [toolRequest(key, 'create_order', { ...newOrder.order, generate_invoice: false })],
        }),
      );
    } finally {
      await close();
    }

    async function compare(what, requests) {
      const measured = [];
      for (const agents of [crowd, ...fewAgents]) measured.push(await withAgents(agents, requests));
      const few = measured.filter(({ agents }) => agents !== crowd);
      return {
        what,
        value: Math.max(...few.map(({ times }) => times)),
        atMost: true,
        wanted: 1.2,
        stretch: 1.1,
        figures: measured.toReversed().map(told).join('; '),
      };
    }

    async function withAgents(agents, requests) {
      const candidates = Object.fromEntries(
        Object.entries(requests).map(([door, bytes]) => [door, (duration) => load(agents, bytes, duration)]),
      );
      // The crowd comes first, and the others find the code compiled.
      const warmUpSeconds = agents === crowd ? settlingSeconds : 0;
      const { rest, tool } = await rounds(candidates, { count, seconds, warmUpSeconds });
      return { agents, rest, tool, times: ratio(tool, rest, ({ cpuMicros }) => cpuMicros.both) };
    }

    async function load(connections, bytes, duration) {
      let turn = 0;
      const before = await cpuMillis();
      const next = () => bytes[turn++ % bytes.length];
      const result = await closedLoop({ urls: [product.url], connections, seconds: duration, next, onAnswer });
      if (result.failed > 0) throw new Error(`${result.failed} calls failed`);
      const after = await cpuMillis();
      const micros = (member) => ((after[member] - before[member]) * 1000) / result.answered;
      const cpuMicros = { product: micros('product'), database: micros('database') };
      return { ...result, cpuMicros: { ...cpuMicros, both: cpuMicros.product + cpuMicros.database } };
    }

    async function cpuMillis() {
      return { product: product.cpuMillis(), database: await database.cpuMillis() };
    }
  }
  return lines;
}

/** A tool that fails answers 200 as well; that would be measured as a quick call. */
function onAnswer(_status, chunks) {
  if (chunks.at(-1)?.includes('"isError":true')) throw new Error(`A tool call failed: ${Buffer.concat(chunks)}`);
}

const toolRequest = (key, name, args) =>
  post('/api/v1/mcp', key, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

const told = ({ agents, rest, tool, times }) =>
  `${agents} at once ${times.toFixed(2)}: ${cpu(tool, 'product')} and ${cpu(tool, 'database')} against ` +
  `${cpu(rest, 'product')} and ${cpu(rest, 'database')} µs CPU of product and database, ${rate(tool)}/s against ${rate(rest)}/s`;
const rate = (results) => Math.round(median(results.map((result) => result.rate)));
const cpu = (results, of) => Math.round(median(results.map(({ cpuMicros }) => cpuMicros[of])));
