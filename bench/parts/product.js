// The product as users run it: dist/bundle/start.js in a process of its own, requests logged, the log thrown away.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort, startScript } from './process.js';

const here = dirname(fileURLToPath(import.meta.url));
const secretsKey = '22'.repeat(32);

/** What the product reads from its environment. Without a database it runs on the embedded one in `dataDir`. */
export function productEnv({ database, dataDir, port }) {
  return {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: dataDir,
    SECRETS_KEY: secretsKey,
    RATE_SOURCES: 'fixed:65000',
    ALLOW_PRIVATE_NETWORKS: 'true',
    ...(database ? { DATABASE_URL: database.url } : {}),
  };
}

export function temporaryDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'satline-bench-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Starts it and waits until it answers. `startMillis` is from spawning to that answer.
 * @param {object} options
 * @param {string} options.dist
 * @param {{ url: string }} [options.database]
 * @param {string} [options.dataDir]
 * @param {string[]} [options.args]
 * @param {string} [options.entry] another file than the bundle
 * @param {string[]} [options.preloads] files beside this one that are loaded into it
 * @param {Record<string, string>} [options.env]
 */
export async function startProduct(options) {
  const { dist, database, dataDir, args = [], entry = join('bundle', 'start.js'), preloads = [] } = options;
  const ownDirectory = dataDir === undefined ? temporaryDirectory() : undefined;
  const port = await freePort();
  const env = { ...productEnv({ database, dataDir: dataDir ?? ownDirectory?.path, port }), ...options.env };
  const started = performance.now();
  const script = startScript(join(dist, entry), args, {
    env,
    nodeOptions: [
      ...(process.env.BENCH_NODE_OPTIONS?.split(' ') ?? []),
      ...['loop-delay.js', ...preloads].flatMap((file) => ['--import', join(here, file)]),
    ],
    quiet: true,
  });
  const url = `http://127.0.0.1:${port}`;
  while (!(await answers(url))) {
    if (!script.running) throw new Error('The product did not start');
    await sleep(10);
  }
  const startMillis = performance.now() - started;
  /** Sends a message to a preloaded file. @returns the member of its answer that is named. */
  async function ask(message, member) {
    const answer = script.message((told) => told[member] !== undefined);
    script.child.send(message);
    return (await answer)[member];
  }
  return {
    url,
    startMillis,
    ask,
    cpuMillis: script.cpuMillis,
    rssMegabytes: script.rssMegabytes,
    peakMegabytes: script.peakMegabytes,
    /** Milliseconds, 99th percentile since the last call. */
    loopDelay: () => ask('loop-delay', 'loopDelay'),
    async stop() {
      await script.stop();
      ownDirectory?.remove();
    },
  };
}

async function answers(url) {
  try {
    return (await fetch(`${url}/healthz`)).ok;
  } catch {
    return false;
  }
}
