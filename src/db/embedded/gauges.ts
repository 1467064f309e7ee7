const syncs = 0;
const busySince = 1;

/**
 * Two numbers in memory that both threads share. Messages would not do: the engine runs a statement without ever coming
 * back to its event loop, which is just when the watchdog must look at it.
 */
export class Gauges {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: BigInt64Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(16)) {
    this.buffer = buffer;
    this.#cells = new BigInt64Array(buffer);
  }

  countSync(): void {
    Atomics.add(this.#cells, syncs, 1n);
  }

  get syncCount(): number {
    return Number(Atomics.load(this.#cells, syncs));
  }

  /** Nanoseconds of the monotonic clock (a jump of the wall clock must not look like a slow statement). */
  startWork(since: bigint = process.hrtime.bigint()): void {
    Atomics.store(this.#cells, busySince, since);
  }

  endWork(): void {
    Atomics.store(this.#cells, busySince, 0n);
  }

  /** When the statement that runs now began; undefined while the engine is idle. */
  get busySince(): bigint | undefined {
    const since = Atomics.load(this.#cells, busySince);
    return since === 0n ? undefined : since;
  }

  /** During a statement: waiting for a slow reader is not its fault, so the watchdog's clock stands still meanwhile. */
  pauseWork(wait: () => void): void {
    const since = this.busySince ?? process.hrtime.bigint();
    const elapsed = process.hrtime.bigint() - since;
    this.endWork();
    wait();
    this.startWork(process.hrtime.bigint() - elapsed);
  }
}
