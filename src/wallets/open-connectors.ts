import { createHash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import type { Connector, WalletHint } from '../lightning/connector.ts';
import type { WalletRow } from '../model/wallet.ts';

/** After so long without a call a connection is given up: the wallet may be removed, or asked by another process. */
const unusedMillis = 3_600_000;
const betweenSweepsMillis = 60_000;

interface Opened {
  readonly connector: Connector;
  readonly walletId: string;
  /** What it was opened by. */
  readonly key: string;
  /** What the one before it was opened by. */
  readonly keyBefore: string | undefined;
  /** Of the newest row that led to it. */
  rowAt: number;
  /** Calls and streams that go over it now. */
  uses: number;
  usedAt: number;
  /** Ends its streams, which nothing else would. */
  readonly leaving: AbortController;
  /** Once nothing is asked of it any more. */
  readonly closing: Promise<void>;
  readonly close: () => void;
}

/**
 * One open connector for each wallet that is asked. A row that was only renamed or probed leads to the same one; one that
 * opens differently to another, and the one before is closed when the last call over it has ended.
 */
export class OpenConnectors {
  readonly #open: (wallet: WalletRow) => Connector;
  readonly #clock: Clock;
  readonly #onCloseError: (error: unknown) => void;
  readonly #current = new Map<string, Opened>();
  /** Those that only wait for their last call as well. */
  readonly #all = new Set<Opened>();
  #sweptAt = 0;

  constructor(open: (wallet: WalletRow) => Connector, clock: Clock, onCloseError: (error: unknown) => void) {
    this.#open = open;
    this.#clock = clock;
    this.#onCloseError = onCloseError;
  }

  /** Keeps the wallet's connector open until `call` ends, which has to have a time limit. */
  async use<T>(wallet: WalletRow, call: (connector: Connector) => Promise<T>): Promise<T> {
    const opened = this.#take(wallet);
    try {
      return await call(opened.connector);
    } finally {
      this.#giveBack(opened);
    }
  }

  /** The host that a look-up of this invoice is sent to, where somebody else is asked. */
  lookupHost(wallet: WalletRow, handle: Parameters<NonNullable<Connector['lookupHost']>>[0]): string | undefined {
    return this.#of(wallet).connector.lookupHost?.(handle);
  }

  /** Ends when the connector is replaced, too; whoever follows comes back with the wallet's row as it is then. */
  follow(wallet: WalletRow, cursor: string | undefined, signal: AbortSignal): AsyncIterable<WalletHint> | undefined {
    return this.#of(wallet).connector.follow && this.#stream(wallet, cursor, signal);
  }

  /** Resolves when what is open to the wallet is closed; its streams end, its calls are waited for. */
  async release(walletId: string): Promise<void> {
    const opened = this.#current.get(walletId);
    if (!opened) return;
    this.#retire(opened);
    await opened.closing;
  }

  /** Cuts off whatever is under way. */
  async close(): Promise<void> {
    const all = [...this.#all];
    for (const opened of all) {
      this.#retire(opened);
      opened.close();
    }
    await Promise.all(all.map(({ closing }) => closing));
  }

  #of(wallet: WalletRow): Opened {
    const known = this.#current.get(wallet.id);
    const rowAt = wallet.updated_at.getTime();
    const key = keyOf(wallet);
    // Read before the change that the open one came with: opening by it again would go to and fro between the two.
    // Sealing a credential anew does not move `updated_at`.
    const isOlder = known && (rowAt < known.rowAt || (rowAt === known.rowAt && key === known.keyBefore));
    if (isOlder) return known;
    if (known?.key === key) {
      known.rowAt = rowAt;
      return known;
    }
    if (known) this.#retire(known);
    const opened = this.#begin(wallet, key, known?.key);
    this.#current.set(wallet.id, opened);
    this.#all.add(opened);
    return opened;
  }

  #begin(wallet: WalletRow, key: string, keyBefore: string | undefined): Opened {
    const connector = this.#open(wallet);
    let close = () => {};
    const closing = new Promise<void>((resolve) => {
      close = resolve;
    }).then(() => connector.close?.());
    return {
      connector,
      walletId: wallet.id,
      key,
      keyBefore,
      rowAt: wallet.updated_at.getTime(),
      uses: 0,
      usedAt: this.#clock.now().getTime(),
      leaving: new AbortController(),
      closing,
      close,
    };
  }

  #take(wallet: WalletRow): Opened {
    this.#closeUnused();
    const opened = this.#of(wallet);
    opened.uses++;
    return opened;
  }

  #giveBack(opened: Opened): void {
    opened.uses--;
    opened.usedAt = this.#clock.now().getTime();
    if (opened.uses === 0 && opened.leaving.signal.aborted) opened.close();
  }

  async *#stream(wallet: WalletRow, cursor: string | undefined, signal: AbortSignal): AsyncGenerator<WalletHint> {
    const opened = this.#take(wallet);
    const either = new AbortController();
    const end = () => either.abort();
    const signals = [signal, opened.leaving.signal];
    for (const one of signals) one.addEventListener('abort', end, { once: true });
    if (signals.some(({ aborted }) => aborted)) end();
    try {
      const hints = opened.connector.follow?.(cursor, either.signal);
      if (hints) yield* hints;
    } finally {
      for (const one of signals) one.removeEventListener('abort', end);
      this.#giveBack(opened);
    }
  }

  #retire(opened: Opened): void {
    if (this.#current.get(opened.walletId) === opened) this.#current.delete(opened.walletId);
    if (opened.leaving.signal.aborted) return;
    opened.closing.catch(this.#onCloseError).finally(() => this.#all.delete(opened));
    opened.leaving.abort();
    if (opened.uses === 0) opened.close();
  }

  #closeUnused(): void {
    const now = this.#clock.now().getTime();
    if (now - this.#sweptAt < betweenSweepsMillis) return;
    this.#sweptAt = now;
    for (const opened of this.#current.values()) {
      if (opened.uses === 0 && now - opened.usedAt > unusedMillis) this.#retire(opened);
    }
  }
}

/** The same for two rows that open the same connector. */
function keyOf({ connection, livemode, lightning_address, credentials, settings }: WalletRow): string {
  return createHash('sha256')
    .update(JSON.stringify([connection, livemode, lightning_address, settings]))
    .update(credentials ?? '')
    .digest('base64');
}
