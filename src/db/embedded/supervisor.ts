import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagePort } from 'node:worker_threads';
import type { Logger } from '../../kernel/log.ts';
import { EngineThread } from './engine-thread.ts';
import type { Gauges } from './gauges.ts';
import { EngineStream } from './stream.ts';

const crashLimit = 3;
const crashWindowMillis = 60_000;
const retryMillis = 1000;
const closeMillis = 5000;

interface SupervisorOptions {
  directory: string;
  gauges: Gauges;
  log: Logger;
  /** The engine keeps failing; it stays down. */
  onFatal: (error: Error) => void;
}

/** Keeps one engine running and tells the streams when it goes away. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #log: Logger;
  readonly #streams = new Set<EngineStream>();
  #thread: EngineThread | undefined;
  #starting: EngineThread | undefined;
  #replacing: Promise<void> | undefined;
  #crashes: number[] = [];
  #over = false;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#log = options.log;
  }

  /** @throws when the engine cannot be opened; the first time there is no second try. */
  async open(): Promise<void> {
    this.#install(await this.#start());
  }

  readonly newStream = (): EngineStream => new EngineStream((stream, port, flow) => this.#attach(stream, port, flow));

  /**
   * Ends the engine, in the middle of a statement if need be, and opens it again. Calls at the same time share one.
   * A failure is logged and reported to `onFatal`, so the promise may be ignored.
   */
  restart(reason: string): Promise<void> {
    if (this.#over) return ignorable(Promise.reject(new Error('The embedded database is closed')));
    if (!this.#replacing) this.#log.warn({ reason }, 'restarting the embedded database');
    return this.#replace(`embedded database restarted: ${reason}`);
  }

  async close(): Promise<void> {
    this.#over = true;
    const thread = this.#thread;
    this.#thread = undefined;
    await Promise.all([thread?.close(closeMillis), this.#starting?.terminate()]);
    await this.#replacing?.catch(() => {});
    this.#resetStreams('embedded database closed');
  }

  #attach(stream: EngineStream, port: MessagePort, flow: SharedArrayBuffer): boolean {
    if (!this.#thread) return false;
    this.#thread.connect(port, flow);
    this.#streams.add(stream);
    stream.once('close', () => this.#streams.delete(stream));
    return true;
  }

  async #start(): Promise<EngineThread> {
    const { directory, gauges } = this.#options;
    gauges.endWork();
    const thread = new EngineThread(directory, gauges, (text) => this.#log.warn({ text }, 'embedded database'));
    this.#starting = thread;
    await thread.opened().finally(() => {
      this.#starting = undefined;
    });
    return thread;
  }

  #install(thread: EngineThread): void {
    this.#thread = thread;
    void thread.ended.then((reason) => {
      // Unless it was us who ended it.
      if (this.#thread === thread) this.#crashed(reason);
    });
  }

  #crashed(reason: string): void {
    this.#log.error({ reason }, 'the embedded database crashed');
    if (this.#tooManyCrashes()) this.#giveUp(reason);
    else void this.#replace(`embedded database crashed: ${reason}`);
  }

  #replace(reason: string): Promise<void> {
    this.#replacing ??= ignorable(this.#replaceThread(reason));
    return this.#replacing;
  }

  async #replaceThread(reason: string): Promise<void> {
    try {
      const old = this.#thread;
      this.#thread = undefined;
      await old?.terminate();
      this.#resetStreams(reason);
      const thread = await this.#startPatiently();
      if (this.#over) await thread?.close(closeMillis);
      else if (thread) this.#install(thread);
    } finally {
      this.#replacing = undefined;
    }
  }

  /** @returns nothing when `close` was called meanwhile. */
  async #startPatiently(): Promise<EngineThread | undefined> {
    while (!this.#over) {
      try {
        return await this.#start();
      } catch (error) {
        if (this.#over) break;
        this.#log.error({ err: error }, 'the embedded database did not come back');
        if (this.#tooManyCrashes()) throw this.#giveUp(String(error));
        await sleep(retryMillis);
      }
    }
    return undefined;
  }

  #tooManyCrashes(): boolean {
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((at) => now - at < crashWindowMillis), now];
    return this.#crashes.length >= crashLimit;
  }

  #giveUp(reason: string): Error {
    this.#over = true;
    this.#thread = undefined;
    this.#resetStreams(`embedded database crashed: ${reason}`);
    const error = new Error(`The embedded database failed ${crashLimit} times within a minute: ${reason}`);
    this.#options.onFatal(error);
    return error;
  }

  #resetStreams(reason: string): void {
    for (const stream of this.#streams) stream.reset(reason);
  }
}

/** Nobody has to catch it: a rejection is no news by the time it arrives. */
function ignorable(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}
