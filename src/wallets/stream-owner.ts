import { randomInt, randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import { pause } from '../kernel/pause.ts';
import { WalletFault, type WalletHint } from '../lightning/connector.ts';
import { wakeInvoicesOfWallet } from '../store/invoice-watch.ts';
import {
  claimWalletStreams,
  releaseWalletStream,
  renewWalletStreams,
  saveWalletStreamCursor,
  setWalletStreamOpen,
} from '../store/wallet-streams.ts';
import { findWalletForJob } from '../store/wallets.ts';
import type { WalletRuntime } from './runtime.ts';

const leaseSeconds = 20;
const mostStreams = 1000;
const firstPauseMillis = 1000;
const longestPauseMillis = 60_000;
/** A stream that held for so long was a good one: the next break starts with a short pause again. */
const steadyMillis = 30_000;

export interface StreamOwnerParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly wallets: WalletRuntime;
}

interface Follower {
  readonly leaving: AbortController;
  readonly done: Promise<void>;
}

/**
 * Follows wallets that tell by themselves, each by one process at a time. What they tell only brings a look-up forward,
 * and is written down before the cursor is: a hint may be taken twice, never lost.
 */
export class StreamOwner {
  readonly #parts: StreamOwnerParts;
  readonly #id = randomUUID();
  readonly #followers = new Map<string, Follower>();

  constructor(parts: StreamOwnerParts) {
    this.#parts = parts;
  }

  /** Keeps the leases, lets go of what was lost, takes what is free. To be called well within the lease. */
  async round(): Promise<void> {
    const { db } = this.#parts;
    const kept = new Set(await renewWalletStreams(db, this.#id, leaseSeconds));
    for (const [walletId, { leaving }] of this.#followers) if (!kept.has(walletId)) leaving.abort();
    const free = mostStreams - this.#followers.size;
    for (const { wallet_id, cursor } of await claimWalletStreams(db, this.#id, leaseSeconds, free)) {
      this.#start(wallet_id, cursor ?? undefined);
    }
  }

  async stop(): Promise<void> {
    for (const { leaving } of this.#followers.values()) leaving.abort();
    await Promise.all([...this.#followers.values()].map(({ done }) => done));
  }

  /** A wallet that came back before its last follower was gone is begun anew after it. */
  #start(walletId: string, cursor: string | undefined): void {
    const earlier = this.#followers.get(walletId);
    earlier?.leaving.abort();
    const leaving = new AbortController();
    setMaxListeners(0, leaving.signal);
    const done = (earlier?.done ?? Promise.resolve())
      .then(() => this.#keepFollowing(walletId, cursor, leaving.signal))
      .catch((error: unknown) => this.#parts.log.error({ err: error, wallet: walletId }, 'following a wallet failed'))
      .then(async () => {
        if (this.#followers.get(walletId)?.leaving !== leaving) return;
        this.#followers.delete(walletId);
        await releaseWalletStream(this.#parts.db, walletId, this.#id).catch(() => {});
      });
    this.#followers.set(walletId, { leaving, done });
  }

  async #keepFollowing(walletId: string, cursor: string | undefined, signal: AbortSignal): Promise<void> {
    const { db, log, wallets } = this.#parts;
    let pauseMillis = firstPauseMillis;
    let last = cursor;
    while (!signal.aborted) {
      const wallet = await findWalletForJob(db, walletId);
      if (!wallet) return;
      const startedAt = performance.now();
      try {
        const hints = wallets.follow(wallet, last, signal);
        if (!hints) return;
        for await (const hint of hints) last = (await this.#take(walletId, hint)) ?? last;
      } catch (error) {
        const fault = error instanceof WalletFault ? error.kind : 'protocol';
        if (!signal.aborted) log.debug({ err: error, wallet: walletId, fault }, 'the stream of a wallet broke off');
      }
      await setWalletStreamOpen(db, walletId, this.#id, false);
      if (performance.now() - startedAt > steadyMillis) pauseMillis = firstPauseMillis;
      // Between half and all of it, so that many wallets of one server do not come back in the same moment.
      await pause(randomInt(Math.ceil(pauseMillis / 2), pauseMillis + 1), signal);
      pauseMillis = Math.min(longestPauseMillis, pauseMillis * 2);
    }
  }

  /** @returns the cursor to go on from. */
  async #take(walletId: string, hint: WalletHint): Promise<string | undefined> {
    const { db } = this.#parts;
    if (hint.kind === 'open') {
      await setWalletStreamOpen(db, walletId, this.#id, true);
      // Even where the wallet tells again what was missed: a wallet restored from a backup counts from before.
      await this.#wake(walletId, undefined);
      return undefined;
    }
    await this.#wake(walletId, hint.paymentHash);
    if (hint.cursor !== undefined) await saveWalletStreamCursor(db, walletId, this.#id, hint.cursor);
    return hint.cursor;
  }

  async #wake(walletId: string, paymentHash: string | undefined): Promise<void> {
    const { db, clock } = this.#parts;
    const woken = await wakeInvoicesOfWallet(db, walletId, paymentHash, clock.now());
    if (woken > 0) db.wake('invoice_due', walletId);
  }
}
