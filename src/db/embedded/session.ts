import type { MessagePort } from 'node:worker_threads';
import type { Flow } from './flow.ts';
import { type Frame, Framer } from './framing.ts';
import type { Gauges } from './gauges.ts';
import type { SessionMessage } from './worker-messages.ts';

const postBytes = 128 * 1024;
/** The engine's own send buffer: a smaller piece means that it flushed on purpose. */
const engineBufferBytes = 8192;

/** One client's connection, on the worker's side: what it sent and has not run yet, and its answer on the way out. */
export class Session {
  /** The engine has worked for this session, so there may be something to clean up. */
  used = false;
  /** The last message it ran was one that the engine answers with ReadyForQuery. */
  complete = true;
  readonly #port: MessagePort;
  readonly #flow: Flow;
  readonly #gauges: Gauges;
  readonly #framer = new Framer();
  #frames: Frame[] = [];
  #pieces: Uint8Array[] = [];
  #held = 0;

  constructor(port: MessagePort, flow: Flow, gauges: Gauges) {
    this.#port = port;
    this.#flow = flow;
    this.#gauges = gauges;
  }

  receive(bytes: Uint8Array): void {
    this.#frames.push(...this.#framer.push(bytes));
  }

  takeFrames(): Frame[] {
    const frames = this.#frames;
    this.#frames = [];
    return frames;
  }

  /** The client is gone: what it sent and has not been run will not be. */
  abandon(): void {
    this.#frames = [{ kind: 'end' }];
  }

  /** The client's side is closed, even if this thread has not been told yet. */
  get gone(): boolean {
    return this.#flow.closed;
  }

  /** Collects a piece of the answer. Posts once enough is there or the engine flushed. */
  output(view: Uint8Array): void {
    if (this.#flow.closed) return;
    this.#pieces.push(view.slice());
    this.#held += view.length;
    if (this.#held >= postBytes || view.length < engineBufferBytes) this.flush();
  }

  flush(): void {
    if (this.#held === 0) return;
    const whole = this.#pieces.length === 1 ? this.#pieces[0]! : joined(this.#pieces, this.#held);
    this.#pieces = [];
    this.#held = 0;
    this.post(whole as Uint8Array<ArrayBuffer>);
  }

  post(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#flow.full) this.#gauges.pauseWork(() => this.#flow.waitForRoom());
    if (this.#flow.closed) return;
    this.#flow.sending(bytes.length);
    this.#port.postMessage(bytes satisfies SessionMessage, [bytes.buffer]);
  }

  close(): void {
    this.#port.postMessage(null satisfies SessionMessage);
    this.#port.close();
  }
}

// Not Buffer.concat: its small results share a pool, and a shared buffer cannot be transferred.
function joined(pieces: Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
