import { Worker } from 'node:worker_threads';

/** Of the library that hashes. */
export interface HashSettings {
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** Whether a password fits a hash in PHC form, or what the hash of a password is. */
export type Question =
  | { readonly id: number; readonly password: string; readonly hash: string }
  | { readonly id: number; readonly password: string; readonly settings: HashSettings };

export interface Reply {
  readonly id: number;
  readonly answer: boolean | string;
}

type WithoutId<Q> = Q extends unknown ? Omit<Q, 'id'> : never;

// A Node 20 worker cannot load TypeScript, so tests that run from the sources use the compiled one.
const workerFile = import.meta.url.endsWith('.ts')
  ? new URL('../../dist/auth/password-worker.js', import.meta.url)
  : new URL('./password-worker.js', import.meta.url);

/** Hashes passwords and compares them with hashes, one after the other in a thread of its own, which is started when the first one comes. */
export class PasswordThread {
  readonly #asked = new Map<number, { resolve(answer: never): void; reject(error: Error): void }>();
  #worker: Worker | undefined;
  #lastId = 0;

  verify(hash: string, password: string): Promise<boolean> {
    return this.#ask<boolean>({ hash, password });
  }

  hash(password: string, settings: HashSettings): Promise<string> {
    return this.#ask<string>({ settings, password });
  }

  #ask<Answer>(question: WithoutId<Question>): Promise<Answer> {
    const id = ++this.#lastId;
    return new Promise<Answer>((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#worker ??= this.#start();
      // A command has nothing else that keeps its process alive; without a question the thread keeps none from ending.
      this.#worker.ref();
      this.#worker.postMessage({ ...question, id } satisfies Question);
    });
  }

  #start(): Worker {
    const worker = new Worker(workerFile, { name: 'passwords', execArgv: [] });
    worker.on('message', ({ id, answer }: Reply) => {
      this.#asked.get(id)?.resolve(answer as never);
      this.#asked.delete(id);
      if (this.#asked.size === 0) worker.unref();
    });
    worker.on('error', (error) => this.#end(worker, error));
    worker.on('exit', () => this.#end(worker, new Error('The thread for passwords has ended')));
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
