import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reply } from '../harness/client.ts';
import { secretsKey } from '../harness/database.ts';
import type { Door } from '../harness/oauth.ts';

const start = fileURLToPath(new URL('../../dist/bundle/start.js', import.meta.url));
/** A first start on a slow machine that does other things too. */
const patienceMillis = 60_000;

export interface DemoKeys {
  merchant_id: string;
  secret_key: string;
  api_token_id: string;
  /** 60 requests a minute. */
  limited_secret_key: string;
}

/** `node dist/bundle/start.js`, as a user runs it. */
export class SatlineProcess {
  readonly #child: ChildProcess;
  #stdout = '';
  #stderr = '';
  baseUrl = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    // A test that fails leaves it behind.
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    child.stdout!.on('data', (chunk) => {
      this.#stdout += chunk;
    });
    child.stderr!.on('data', (chunk) => {
      this.#stderr += chunk;
    });
  }

  /** Resolves when it answers. @throws with what it printed when it ends or takes too long. */
  static async start(env: NodeJS.ProcessEnv): Promise<SatlineProcess> {
    const started = SatlineProcess.spawn(env);
    await started.ready();
    return started;
  }

  /** Without waiting for anything. */
  static spawn(env: NodeJS.ProcessEnv): SatlineProcess {
    const child = spawn(process.execPath, [start, '--demo'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        HOST: '127.0.0.1',
        PORT: '0',
        LOG_LEVEL: 'warn',
        RATE_SOURCES: 'fixed:50000',
        SECRETS_KEY: secretsKey,
        ...env,
      },
    });
    return new SatlineProcess(child);
  }

  async ready(): Promise<void> {
    const ready = /Satline is ready at (http:\/\/\S+)/;
    for (const end = Date.now() + patienceMillis; !ready.test(this.#stdout); ) {
      if (this.ended)
        throw new Error(`The process ended (${this.#child.exitCode ?? this.#child.signalCode}): ${this.output}`);
      if (Date.now() > end) throw new Error(`The process is not ready: ${this.output}`);
      await Promise.race([once(this.#child.stdout!, 'data'), once(this.#child, 'close')]);
    }
    this.baseUrl = ready.exec(this.#stdout)![1]!;
  }

  get output(): string {
    return `${this.#stdout}\n${this.#stderr}`;
  }

  get errors(): string {
    return this.#stderr;
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Resolves when it is gone. @returns its exit code, null when the signal ended it. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    if (!this.ended) {
      this.#child.kill(signal);
      await once(this.#child, 'exit');
    }
    return this.#child.exitCode;
  }
}

export async function readDemoKeys(dataDir: string): Promise<DemoKeys> {
  return JSON.parse(await readFile(join(dataDir, 'demo-credentials.json'), 'utf8'));
}

/** One call over HTTP. @throws when nobody answers, or the answer breaks off. */
export async function callOver(
  baseUrl: string,
  key: string,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Pick<Reply, 'status' | 'body'> & { replayed: boolean }> {
  const answer = await fetch(`${baseUrl}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    body: text === '' ? undefined : JSON.parse(text),
    replayed: answer.headers.get('idempotent-replayed') === 'true',
  };
}

/** A process as an assistant of the harness sees it. Redirects are answers like any other. */
export function doorTo(baseUrl: string): Door {
  return {
    async inject({ method, url, headers, payload }) {
      const answer = await fetch(baseUrl + url, {
        method,
        headers,
        redirect: 'manual',
        ...(payload === undefined ? {} : { body: payload }),
        signal: AbortSignal.timeout(30_000),
      });
      const text = await answer.text();
      return {
        statusCode: answer.status,
        headers: Object.fromEntries(answer.headers),
        payload: text,
        json: () => JSON.parse(text),
      };
    },
  };
}
