// Holds the MCP endpoint against the protocol's own tools, fetched from npm at their exact versions: its conformance suite (on
// Node 24, which it needs), the inspector's command line and mcp-remote. Not part of the tests, which fetch nothing.
// What the suite expects beyond what Satline offers is listed in mcp-conformance-expected.yaml and told in
// docs/mcp-conformance.md; anything else that fails makes this fail.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const conformance = '@modelcontextprotocol/conformance@0.1.16';
const inspector = '@modelcontextprotocol/inspector@0.22.0';
const remote = 'mcp-remote@0.15.1';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'satline-conformance-'));
const service = await startService();
const proxy = await startProxy(service);
let failed = false;
try {
  check('conformance', await runConformance());
  check("the inspector's command line", await runInspector());
  for (const mode of ['http-only', 'http-first', 'sse-first']) check(`mcp-remote ${mode}`, await runRemote(mode));
} finally {
  proxy.close();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);

function check(name, fault) {
  console.log(`${fault === undefined ? 'good  ' : 'FAILED'} ${name}${fault ? `: ${fault}` : ''}`);
  failed ||= fault !== undefined;
}

/** The service as a first start makes it, with its demo. */
async function startService() {
  const built = spawnSync(process.execPath, [join(root, 'scripts', 'build.js')], { stdio: 'inherit' });
  if (built.status !== 0) process.exit(1);
  const child = spawn(process.execPath, [join(root, 'dist', 'bundle', 'start.js')], {
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const file = join(folder, 'demo-credentials.json');
  for (;;) {
    if (child.exitCode !== null) throw new Error('The service did not start');
    const demo = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
    // With port 0 the address is only known, and written, once it listens.
    if (demo && !demo.base_url.endsWith(':0') && (await fetch(`${demo.base_url}/healthz`).catch(() => undefined))?.ok) {
      const stop = async () => {
        child.kill('SIGTERM');
        if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
      };
      return { url: `${demo.base_url}/api/v1/mcp`, key: demo.secret_key, stop };
    }
    await sleep(100);
  }
}

/** The suite cannot send a key: what stands before it adds one and passes everything else on as it came. */
async function startProxy({ url, key }) {
  const server = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const outgoing = request(url, { method: incoming.method, headers }, (response) => {
      answer.writeHead(response.statusCode, response.headers);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/api/v1/mcp`, close: () => server.close() };
}

async function runConformance() {
  const expected = join(root, 'scripts', 'mcp-conformance-expected.yaml');
  const results = join(folder, 'results');
  const command = `conformance server --url ${proxy.url} --suite all --expected-failures ${expected} -o ${results}`;
  const { status, output } = await run(['-y', '-p', 'node@24', '-p', conformance, '-c', command]);
  for (const line of readChecks(results)) console.log(`       ${line}`);
  return status === 0 ? undefined : `it ended with ${status}\n${output}`;
}

/** A line for each check, with what the suite says of it. */
function readChecks(results) {
  return readdirSync(results)
    .sort()
    .flatMap((scenario) => {
      const checks = JSON.parse(readFileSync(join(results, scenario, 'checks.json'), 'utf8'));
      return checks.map(
        ({ id, status, errorMessage = '' }) => `${status.padEnd(8)} ${id} ${errorMessage.split('\n')[0]}`,
      );
    });
}

async function runInspector() {
  const to = ['--cli', service.url, '--transport', 'http', '--header', `Authorization: Bearer ${service.key}`];
  const listed = await run(['-y', inspector, ...to, '--method', 'tools/list']);
  if (listed.status !== 0) return listed.output;
  const { tools } = JSON.parse(listed.output);
  if (!tools.some(({ name }) => name === 'create_order')) return 'create_order is not listed';
  const sale = ['--method', 'tools/call', '--tool-name', 'create_order', '--tool-arg', 'amount_cents=500'];
  const called = await run(['-y', inspector, ...to, ...sale]);
  if (called.status !== 0) return called.output;
  return readOrder(JSON.parse(called.output));
}

async function runRemote(mode) {
  const client = new Client({ name: 'satline-conformance', version: '1.0.0' });
  const header = `Authorization: Bearer ${service.key}`;
  const args = ['-y', remote, service.url, '--allow-http', '--transport', mode, '--header', header];
  await client.connect(
    new StdioClientTransport({
      command: 'npx',
      args,
      cwd: folder,
      stderr: 'ignore',
      env: { ...process.env, HOME: folder },
    }),
    { timeout: 180_000 },
  );
  try {
    const { tools } = await client.listTools();
    if (!tools.some(({ name }) => name === 'create_order')) return 'create_order is not listed';
    return readOrder(await client.callTool({ name: 'create_order', arguments: { amount_cents: 500 } }));
  } finally {
    await client.close();
  }
}

function readOrder({ content, isError }) {
  const order = JSON.parse(content[0].text);
  return !isError && order.invoice?.status === 'pending' ? undefined : content[0].text;
}

/** Runs npx in an empty folder, so that it takes what is asked for and nothing that lies about. */
function run(args, output = 'pipe') {
  return new Promise((resolve) => {
    const child = spawn('npx', args, { cwd: folder, stdio: ['ignore', output, 'inherit'] });
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
    });
    child.on('close', (status) => resolve({ status, output: text }));
  });
}
