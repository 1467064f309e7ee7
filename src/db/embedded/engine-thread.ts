import { type MessagePort, Worker } from 'node:worker_threads';
import type { Gauges } from './gauges.ts';
import type { FromWorker, ToWorker, WorkerStart } from './worker-messages.ts';

// A Node 20 worker cannot load TypeScript, so tests that run from the sources use the compiled worker.
const workerFile = import.meta.url.endsWith('.ts')
  ? new URL('../../../dist/db/embedded/worker.js', import.meta.url)
  : new URL('./worker.js', import.meta.url);

/** Generous, since crash recovery replays the log first; only an engine that hangs needs longer. */
const openMillis = 120_000;

/** One run of the engine in its worker thread, from opening to exit. */
export class EngineThread {
  /** Why the thread is no more. Settles only after it has really ended: two engines on one directory corrupt it. */
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  readonly #ready: Promise<void>;

  constructor(directory: string, gauges: Gauges, onNotice: (text: string) => void) {
    this.#worker = new Worker(workerFile, {
      name: 'embedded database',
      workerData: { directory, gauges: gauges.buffer } satisfies WorkerStart,
      execArgv: [],
    });
    let reason: string | undefined;
    this.#ready = new Promise((resolve) => {
      this.#worker.on('message', (message: FromWorker) => {
        if (message.kind === 'ready') resolve();
        else if (message.kind === 'fatal') reason = message.reason;
        else onNotice(message.text);
      });
    });
    this.#worker.on('error', (error) => {
      reason ??= String(error);
    });
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => resolve(reason ?? `its thread ended with code ${code}`));
    });
  }

  /** @throws when the engine could not be opened; its thread has ended by then. */
  async opened(): Promise<void> {
    const timer = setTimeout(() => void this.terminate(), openMillis);
    const failed = this.ended.then((reason) => {
      throw new Error(`The embedded database could not be opened: ${reason}`);
    });
    try {
      await Promise.race([this.#ready, failed]);
    } finally {
      clearTimeout(timer);
      failed.catch(() => {});
    }
  }

  connect(port: MessagePort, flow: SharedArrayBuffer): void {
    this.#worker.postMessage({ kind: 'connect', port, flow } satisfies ToWorker, [port]);
  }

  /** Asks for an orderly end; after `millis` ends the thread anyway, which is safe: what was committed is on disk. */
  async close(millis: number): Promise<void> {
    this.#worker.postMessage({ kind: 'close' } satisfies ToWorker);
    const timer = setTimeout(() => void this.terminate(), millis);
    await this.ended;
    clearTimeout(timer);
  }

  async terminate(): Promise<void> {
    await this.#worker.terminate();
    await this.ended;
  }
}
