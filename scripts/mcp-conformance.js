// Holds the MCP endpoint against the protocol's own tools, fetched from npm at their exact versions: its conformance suite (on
// Node 24, which it needs), the inspector's command line and mcp-remote, each with a key and with OAuth, where a browser agrees.
// Not part of the tests, which fetch nothing.
// What the suite expects beyond what Satline offers is listed in mcp-conformance-expected.yaml and told in
// docs/mcp-conformance.md; anything else that fails makes this fail.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const conformance = '@modelcontextprotocol/conformance@0.1.16';
const inspector = '@modelcontextprotocol/inspector@2.12.0';
const remote = 'mcp-remote@0.15.1';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'satline-conformance-'));
const service = await startService();
const proxy = await startProxy(service);
let failed = false;
try {
  check('conformance', await runConformance());
  check("the inspector's command line, with a key", await runInspector());
  check("the inspector's command line, with OAuth", await runInspectorWithOauth());
  for (const mode of ['http-only', 'http-first', 'sse-first']) {
    check(`mcp-remote ${mode}, with a key`, await runRemote(mode));
    check(`mcp-remote ${mode}, with OAuth`, await runRemoteWithOauth(mode));
  }
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
      const { base_url, secret_key: key, email, password } = demo;
      return { url: `${base_url}/api/v1/mcp`, key, email, password, stop };
    }
    await sleep(100);
  }
}

/** The suite cannot send a key: what stands before it adds one and passes everything else on as it came. */
async function startProxy({ url, key }) {
  const server = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const outgoing = request(url, { method: incoming.method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/api/v1/mcp`, close: () => server.close() };
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
  const header = ['--header', `Authorization: Bearer ${service.key}`];
  // Strict: it fails for schemas that some model's API does not take.
  const listed = await inspect([...header, '--method', 'tools/list', '--strict']);
  if (listed.status !== 0) return listed.output;
  const fault = faultOfTools(JSON.parse(listed.output), 'create_order');
  if (fault) return fault;
  const called = await inspect([...header, ...callOf('create_order', 'amount_cents=500')]);
  return called.status === 0 ? readOrder(JSON.parse(called.output)) : called.output;
}

/** The first call asks in the browser; the second one uses what the first one kept. */
async function runInspectorWithOauth() {
  const env = personAt('inspector');
  const made = await inspect(callOf('create_payment_link', 'name=Mug', 'price_cents=1200'), env);
  if (made.status !== 0) return made.output;
  const fault = readPaymentLink(JSON.parse(made.output));
  if (fault) return fault;
  const listed = await inspect(['--stored-auth-only', '--method', 'tools/list', '--strict'], env);
  return listed.status === 0 ? faultOfOauthTools(JSON.parse(listed.output)) : listed.output;
}

function inspect(args, env) {
  return run(['-y', inspector, '--cli', service.url, '--transport', 'http', ...args], env);
}

function callOf(tool, ...args) {
  return ['--method', 'tools/call', '--tool-name', tool, '--tool-arg', ...args];
}

function runRemote(mode) {
  const header = ['--header', `Authorization: Bearer ${service.key}`];
  return throughRemote([...header, '--transport', mode], homeAt(`key-${mode}`), async (client) => {
    const fault = faultOfTools(await client.listTools(), 'create_order');
    return fault ?? readOrder(await client.callTool({ name: 'create_order', arguments: { amount_cents: 500 } }));
  });
}

function runRemoteWithOauth(mode) {
  return throughRemote(['--transport', mode], personAt(`remote-${mode}`), async (client) => {
    const fault = faultOfOauthTools(await client.listTools());
    const link = { name: 'create_payment_link', arguments: { name: 'Mug', price_cents: 1200 } };
    return fault ?? readPaymentLink(await client.callTool(link));
  });
}

/** @returns what is wrong, by `use`, which gets a client behind mcp-remote. */
async function throughRemote(args, env, use) {
  const client = new Client({ name: 'satline-conformance', version: '1.0.0' });
  const words = ['-y', remote, service.url, ...args];
  const transport = new StdioClientTransport({ command: 'npx', args: words, cwd: folder, stderr: 'ignore', env });
  await client.connect(transport, { timeout: 180_000 });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/**
 * A home where nothing is kept yet; what npm has fetched is shared.
 * @returns {Record<string, string>}
 */
function homeAt(name) {
  const home = join(folder, name);
  mkdirSync(home);
  return {
    npm_config_cache: join(homedir(), '.npm'),
    .../** @type {Record<string, string>} */ (process.env),
    HOME: home,
  };
}

/** The same with a person before its browser. Only without a display does BROWSER count. */
function personAt(name) {
  const { DISPLAY, WAYLAND_DISPLAY, ...env } = homeAt(name);
  return {
    ...env,
    BROWSER: join(root, 'scripts', 'agree-in-browser.js'),
    CONSENT_EMAIL: service.email,
    CONSENT_PASSWORD: service.password,
    // The inspector's: no terminal is needed to open a browser, and no keychain to keep a token.
    MCP_AUTO_OPEN_ENABLED: 'true',
    MCP_INSPECTOR_SECRET_STORE: 'file',
  };
}

function faultOfTools({ tools }, ...names) {
  const missing = names.filter((name) => !tools.some((tool) => tool.name === name));
  return missing.length === 0 ? undefined : `${missing} is not listed`;
}

/** An assistant sees the catalog and payment links, and nothing that takes money or tells of it. */
function faultOfOauthTools(list) {
  const foreign = list.tools.find(({ name }) => /order|invoice|payment_request|checkout|wallet|webhook|key/.test(name));
  return foreign ? `${foreign.name} is listed` : faultOfTools(list, 'create_payment_link', 'list_products');
}

function readPaymentLink({ content, isError }) {
  const { payment_link_url, livemode } = JSON.parse(content[0].text);
  return !isError && livemode === false && payment_link_url?.includes('/pay/') ? undefined : content[0].text;
}

function readOrder({ content, isError }) {
  const order = JSON.parse(content[0].text);
  return !isError && order.invoice?.status === 'pending' ? undefined : content[0].text;
}

/** Runs npx in an empty folder, so that it takes what is asked for and nothing that lies about. */
function run(args, env = process.env) {
  return new Promise((resolve) => {
    const child = spawn('npx', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.on('close', (status) => resolve({ status, output: text }));
  });
}
