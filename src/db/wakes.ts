import { EventEmitter } from 'node:events';
import type { WakeChannel } from './database.ts';

/** Signals within the process. `forward` sees each once and may carry it to other processes. */
export class Wakes {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #forward: (channel: WakeChannel, subject: string) => void;

  constructor(forward: (channel: WakeChannel, subject: string) => void = () => {}) {
    this.#forward = forward;
  }

  wake(channel: WakeChannel, subject: string): void {
    this.deliver(channel, subject);
    this.#forward(channel, subject);
  }

  /** A signal that came from another process: delivered here, not sent on. */
  deliver(channel: WakeChannel, subject: string): void {
    this.#emitter.emit(channel, subject);
  }

  onWake(channel: WakeChannel, listener: (subject: string) => void): () => void {
    this.#emitter.on(channel, listener);
    return () => this.#emitter.off(channel, listener);
  }
}
