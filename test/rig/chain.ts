/**
 * A regtest chain that exists only in this process: no proof of work, no validation, one miner who obeys. LDK is told
 * of blocks through its `Confirm` interface, which trusts its caller, so headers only need the right shape.
 */
import { createHash, randomBytes } from 'node:crypto';

/** Anything with `now()`; the application's ManualClock fits, so that invoices are dated by the clock a test moves. */
export interface RigClock {
  now(): Date;
}

/** A mined transaction and its place in the block. */
interface MinedTransaction {
  readonly index: number;
  readonly raw: Uint8Array;
}

export interface ChainListener {
  transactionsMined(header: Uint8Array, transactions: readonly MinedTransaction[], height: number): void;
  tipChanged(header: Uint8Array, height: number): void;
}

export class FakeChain {
  readonly #clock: RigClock;
  readonly #listeners = new Set<ChainListener>();
  readonly #seen = new Set<string>();
  #mempool: Uint8Array[] = [];
  #height = 0;
  #tipHash: Uint8Array = randomBytes(32);
  #parentHash: Uint8Array = this.#tipHash;
  #tipSeconds: number;

  constructor(clock: RigClock = { now: () => new Date() }) {
    this.#clock = clock;
    this.#tipSeconds = this.#nowSeconds();
  }

  get height(): number {
    return this.#height;
  }

  /** 32 bytes, in the byte order in which headers refer to their parent. */
  get tipHash(): Uint8Array {
    return this.#tipHash;
  }

  /** Unix time of the newest block, in seconds. */
  get tipSeconds(): number {
    return this.#tipSeconds;
  }

  /** Number of transactions that wait for `mine`. */
  get mempoolSize(): number {
    return this.#mempool.length;
  }

  listen(listener: ChainListener): void {
    this.#listeners.add(listener);
  }

  unlisten(listener: ChainListener): void {
    this.#listeners.delete(listener);
  }

  /** The present by the chain's clock. */
  now(): Date {
    return this.#clock.now();
  }

  /** LDK broadcasts again whatever it fears was lost; a transaction counts once, mined or not. */
  broadcast(transaction: Uint8Array): void {
    const key = Buffer.from(transaction).toString('hex');
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#mempool.push(transaction);
  }

  /** Mines `blocks` blocks; the first takes the whole mempool. */
  mine(blocks = 1): void {
    for (let mined = 0; mined < blocks; mined++) {
      // Index 0 would be the coinbase.
      const transactions = this.#mempool.map((raw, position) => ({ index: position + 1, raw }));
      this.#mempool = [];
      this.#parentHash = this.#tipHash;
      this.#height += 1;
      const header = this.#newTip();
      for (const listener of this.#listeners) {
        if (transactions.length > 0) listener.transactionsMined(header, transactions, this.#height);
        listener.tipChanged(header, this.#height);
      }
    }
  }

  /**
   * The newest block is the only clock that LDK's WASM build has: it dates invoices and judges their expiry. This
   * replaces the tip by a sibling with the present time. Mining a block instead would raise the height, and with it
   * run held payments into their deadline.
   */
  tellTime(): void {
    if (this.#nowSeconds() <= this.#tipSeconds) return;
    const header = this.#newTip();
    for (const listener of this.#listeners) listener.tipChanged(header, this.#height);
  }

  /** version 4, parent 32, merkle root 32, time 4, target 4, nonce 4: numbers little-endian. */
  #newTip(): Uint8Array {
    this.#tipSeconds = Math.max(this.#tipSeconds, this.#nowSeconds());
    const header = Buffer.alloc(80);
    header.writeInt32LE(4, 0);
    header.set(this.#parentHash, 4);
    // Nobody checks the root here, but random bytes make every header, and so every block hash, different.
    header.set(randomBytes(32), 36);
    header.writeUInt32LE(this.#tipSeconds, 68);
    header.writeUInt32LE(0x207fffff, 72);
    this.#tipHash = sha256(sha256(header));
    return new Uint8Array(header);
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock.now().getTime() / 1000);
  }
}

function sha256(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest();
}
