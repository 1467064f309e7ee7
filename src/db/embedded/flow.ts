const unread = 0;
const closed = 1;
const highWater = 4 * 1024 * 1024;

/**
 * Flow control for the answers of one session, in memory that both threads share. While a statement runs the worker
 * posts without pause and receives nothing, so without a limit a large result would pile up in the main thread.
 */
export class Flow {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer);
  }

  /** Main: these bytes have been handed to the reader. */
  consumed(bytes: number): void {
    Atomics.sub(this.#cells, unread, bytes);
    Atomics.notify(this.#cells, unread);
  }

  /** Main: nobody reads any more. */
  close(): void {
    Atomics.store(this.#cells, closed, 1);
    Atomics.notify(this.#cells, unread);
  }

  get closed(): boolean {
    return Atomics.load(this.#cells, closed) === 1;
  }

  /** Worker: these bytes are about to be posted. */
  sending(bytes: number): void {
    Atomics.add(this.#cells, unread, bytes);
  }

  get full(): boolean {
    return Atomics.load(this.#cells, unread) > highWater;
  }

  /** Worker: blocks until the reader has caught up or is gone. */
  waitForRoom(): void {
    while (this.full && !this.closed) {
      // With a time limit because close() does not change the cell: it may come just before the wait begins.
      Atomics.wait(this.#cells, unread, Atomics.load(this.#cells, unread), 100);
    }
  }
}
