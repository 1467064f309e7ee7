import { Duplex } from 'node:stream';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Flow } from './flow.ts';
import type { SessionMessage } from './worker-messages.ts';

/** Hands the worker's end of a new session over. @returns false while no engine is running. */
export type Offer = (stream: EngineStream, port: MessagePort, flow: SharedArrayBuffer) => boolean;

/** What `pg` takes for its socket: one session with the engine, over a MessagePort. */
export class EngineStream extends Duplex {
  readonly #offer: Offer;
  readonly #flow = new Flow();
  #port: MessagePort | undefined;
  #waiting: SessionMessage[] = [];
  #stalled = false;

  constructor(offer: Offer) {
    // A session that the engine hangs up on is over in both directions.
    super({ allowHalfOpen: false });
    this.#offer = offer;
  }

  connect(): this {
    const { port1, port2 } = new MessageChannel();
    if (!this.#offer(this, port2, this.#flow.buffer)) {
      port1.close();
      return this.destroy(connectionError('ECONNREFUSED', 'the embedded database is not running'));
    }
    this.#port = port1;
    port1.on('message', (message: SessionMessage) => {
      if (this.#stalled) this.#waiting.push(message);
      else this.#deliver(message);
    });
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  /** The engine behind this session has ended. */
  reset(reason: string): void {
    this.destroy(connectionError('ECONNRESET', reason));
  }

  override _read(): void {
    this.#stalled = false;
    while (this.#waiting.length > 0 && !this.#stalled) this.#deliver(this.#waiting.shift()!);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#post([chunk]);
    done();
  }

  /** `pg` corks the five messages of one query; one post carries them all. */
  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#post(chunks.map(({ chunk }) => chunk));
    done();
  }

  override _final(done: (error?: Error | null) => void): void {
    done();
    this.destroy();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#flow.close();
    this.#port?.close();
    this.#waiting = [];
    done(error);
  }

  ref(): this {
    this.#port?.ref();
    return this;
  }

  unref(): this {
    this.#port?.unref();
    return this;
  }

  // Settings of a network socket that mean nothing here; `pg` calls them.
  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  #deliver(message: SessionMessage): void {
    if (message === null) {
      this.push(null);
      return;
    }
    this.#stalled = !this.push(Buffer.from(message.buffer));
    this.#flow.consumed(message.length);
  }

  /** Copies, because `pg` writes the next message into the same buffer, and gives the copy away instead of cloning it. */
  #post(chunks: Buffer[]): void {
    const message = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    let at = 0;
    for (const chunk of chunks) {
      message.set(chunk, at);
      at += chunk.length;
    }
    this.#port?.postMessage(message satisfies SessionMessage, [message.buffer]);
  }
}

function connectionError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
