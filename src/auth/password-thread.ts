import { Worker } from 'node:worker_threads';

export interface Question {
  readonly id: number;
  /** PHC form. */
  readonly hash: string;
  readonly password: string;
}

export interface Reply {
  readonly id: number;
  readonly isRight: boolean;
}

// A Node 20 worker cannot load TypeScript, so tests that run from the sources use the compiled one.
const workerFile = import.meta.url.endsWith('.ts')
  ? new URL('../../dist/auth/password-worker.js', import.meta.url)
  : new URL('./password-worker.js', import.meta.url);

/** Compares passwords with hashes in a thread of its own, which is started when the first one comes. */
export class PasswordThread {
  readonly #asked = new Map<number, { resolve(isRight: boolean): void; reject(error: Error): void }>();
  #worker: Worker | undefined;
  #lastId = 0;

  /** Those who have no answer yet. */
  get waiting(): number {
    return this.#asked.size;
  }

  verify(hash: string, password: string): Promise<boolean> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#worker ??= this.#start();
      this.#worker.postMessage({ id, hash, password } satisfies Question);
    });
  }

  #start(): Worker {
    const worker = new Worker(workerFile, { name: 'passwords', execArgv: [] });
    // It never keeps a process from ending: whoever waits for an answer is held by something else.
    worker.unref();
    worker.on('message', ({ id, isRight }: Reply) => {
      this.#asked.get(id)?.resolve(isRight);
      this.#asked.delete(id);
    });
    worker.on('error', (error) => this.#end(worker, error));
    worker.on('exit', () => this.#end(worker, new Error('The thread that checks passwords has ended')));
    return worker;
  }

  /** Those who wait fail; the next one starts a new thread. */
  #end(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
  }
}
