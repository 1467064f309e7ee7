import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import {
  type Connector,
  type CreatedInvoice,
  type InvoiceFact,
  type InvoiceRequest,
  type LookupRequest,
  WalletFault,
  type WalletHint,
  type WalletProbe,
} from '../lightning/connector.ts';
import type { WalletRow } from '../model/wallet.ts';
import { isPaymentHashUsed } from '../store/invoices.ts';
import { recordWalletFailure, recordWalletProbe, recordWalletRefusal, recordWalletSuccess } from '../store/wallets.ts';
import { HostBudgets, LookDeferred } from './budget.ts';
import { withLimit } from './limit.ts';
import { OpenConnectors } from './open-connectors.ts';
import { OwnTrouble, ours } from './own-trouble.ts';

/** What one sale may spend on asking wallets, and what each but the last of them may take of it. */
export const totalBudgetMillis = 8000;
const perWalletMillis = 3000;
const lookupMillis = 8000;
export const probeMillis = 15_000;
/** How long a call that probes a wallet holds its key: longer than that, and than asking for an invoice. */
export const probeLeaseSeconds = 30;

export interface IssuedByWallet {
  readonly wallet: WalletRow;
  /** What the wallet knows the invoice by. */
  readonly ref: string;
  readonly created: CreatedInvoice;
}

type CallName = 'create' | 'lookup' | 'probe';

/** Talks to merchants' wallets: limits, failover, health. Never inside a database transaction. */
export interface WalletRuntime {
  /**
   * Asks the wallets in turn until one makes the invoice; each but the last gets 3 s, all together 8 s.
   * @throws {AppError} `wallet_unavailable` when none did, and whatever broke on our side.
   */
  createInvoice(wallets: readonly WalletRow[], request: InvoiceRequest, signal: AbortSignal): Promise<IssuedByWallet>;
  /**
   * @throws {WalletFault} when the wallet cannot be asked; that says nothing about the invoice.
   * @throws {LookDeferred} when its host has been asked often enough for now.
   */
  lookupInvoice(wallet: WalletRow, request: LookupRequest, signal: AbortSignal): Promise<InvoiceFact>;
  /** Asks a wallet that is not saved yet, or again. @throws {WalletFault} */
  probe(wallet: WalletRow, signal: AbortSignal): Promise<WalletProbe>;
  /** Closes what is open to a wallet; it is opened again when it is asked next. */
  release(walletId: string): Promise<void>;
  /** What the wallet tells by itself, from `cursor` on; undefined where it tells nothing. */
  follow(wallet: WalletRow, cursor: string | undefined, signal: AbortSignal): AsyncIterable<WalletHint> | undefined;
  close(): Promise<void>;
}

export interface WalletRuntimeOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Opens the adapter of a wallet; the only place where credentials are unsealed. */
  open(wallet: WalletRow): Connector;
}

export function createWalletRuntime({ db, clock, log, metrics, open }: WalletRuntimeOptions): WalletRuntime {
  const budgets = new HostBudgets();
  const connectors = new OpenConnectors(open, clock, (error) => log.warn({ err: error }, 'a wallet was not closed'));
  /** When this process last wrote that a wallet is well; spares the row a write per sale. */
  const wellSince = new Map<string, number>();

  function noteSuccess(wallet: WalletRow): void {
    const now = clock.now();
    if (wallet.consecutive_failures === 0 && now.getTime() - (wellSince.get(wallet.id) ?? 0) < 30_000) return;
    wellSince.set(wallet.id, now.getTime());
    recordWalletSuccess(db, wallet.id, now).catch((error) =>
      log.warn({ err: error }, 'wallet health was not recorded'),
    );
  }

  async function noteFailure(name: CallName, wallet: WalletRow, fault: WalletFault): Promise<void> {
    wellSince.delete(wallet.id);
    log.warn({ wallet: wallet.id, fault: fault.kind, err: fault }, 'wallet fault');
    // An amount the wallet won't take, or being asked too often, is no sign of bad health.
    if (fault.kind === 'amount_out_of_range' || fault.kind === 'rate_limited') return;
    // Nor is one invoice it refuses, for want of liquidity mostly: it may well make the next.
    const record = name === 'create' && fault.kind === 'refused' ? recordWalletRefusal : recordWalletFailure;
    await record(db, wallet.id, fault.message, clock.now()).catch((error) =>
      log.warn({ err: error }, 'wallet health was not recorded'),
    );
  }

  /**
   * One call with its own limit. How it ends is written to the wallet's health, unless we broke it ourselves.
   * @param check of the answer, whose time is ours.
   */
  async function ask<T>(
    name: CallName,
    wallet: WalletRow,
    limitMillis: number,
    signal: AbortSignal,
    call: (connector: Connector, signal: AbortSignal) => Promise<T>,
    check?: (connector: Connector, answer: T) => Promise<void>,
  ): Promise<T> {
    const { connection } = wallet;
    const ended = metrics.walletSeconds.startTimer({ connection, call: name });
    try {
      const answer = await connectors.use(wallet, async (connector) => {
        const said = await withLimit(limitMillis, signal, (limited) => call(connector, limited));
        await check?.(connector, said);
        return said;
      });
      ended({ outcome: 'answered' });
      noteSuccess(wallet);
      return answer;
    } catch (error) {
      if (error instanceof OwnTrouble) throw error.cause;
      const fault =
        error instanceof WalletFault
          ? error
          : new WalletFault('protocol', 'The wallet answered in a way Satline does not understand.', { cause: error });
      ended({ outcome: fault.kind });
      if (!signal.aborted) await noteFailure(name, wallet, fault);
      throw fault;
    }
  }

  async function checkCreated(wallet: WalletRow, connector: Connector, created: CreatedInvoice): Promise<void> {
    if (!isSeenPaid(wallet, connector, created)) throw new WalletFault('protocol', unseenText);
    if (await ours(isPaymentHashUsed(db, created.paymentHash))) throw new WalletFault('bad_invoice', usedText);
  }

  return {
    async createInvoice(wallets, request, signal) {
      const deadline = performance.now() + totalBudgetMillis;
      let last: WalletFault | undefined;
      for (const [index, wallet] of wallets.entries()) {
        const left = deadline - performance.now();
        if (left <= 0) break;
        // The end of the wallet's id makes the ref unique per wallet and the same in every try.
        const ref = `${request.ref}:${wallet.id.slice(-6)}`;
        try {
          const asked = ask(
            'create',
            wallet,
            left,
            signal,
            (connector, limited) => connector.createInvoice({ ...request, ref }, limited),
            (connector, created) => checkCreated(wallet, connector, created),
          );
          const isLast = index === wallets.length - 1;
          return { wallet, ref, created: await (isLast ? asked : withinPatience(perWalletMillis, asked)) };
        } catch (error) {
          if (!(error instanceof WalletFault)) throw error;
          last = error;
        }
      }
      throw new AppError('wallet_unavailable', unavailableText(last), {
        cause: last,
        retryAfterSeconds: last?.retryAfterSeconds ?? 5,
      });
    },

    async lookupInvoice(wallet, request, signal) {
      const host = connectors.lookupHost(wallet, request.handle);
      const waitMillis = host === undefined ? 0 : budgets.take(host);
      if (waitMillis > 0) throw new LookDeferred(waitMillis);
      try {
        return await ask('lookup', wallet, lookupMillis, signal, (connector, limited) =>
          connector.lookupInvoice(request, limited),
        );
      } catch (error) {
        const isComplaint = error instanceof WalletFault && error.kind === 'rate_limited';
        if (host !== undefined && isComplaint) budgets.complained(host, error.retryAfterSeconds);
        throw error;
      }
    },

    probe: (wallet, signal) =>
      ask('probe', wallet, probeMillis, signal, (connector, limited) => connector.probe(limited)),

    async release(walletId) {
      wellSince.delete(walletId);
      await connectors.release(walletId);
    },

    follow: (wallet, cursor, signal) => connectors.follow(wallet, cursor, signal),

    close: () => connectors.close(),
  };
}

/**
 * Leaves a slow wallet behind without calling it off: slow is not broken, so its health is told by how the call ends
 * within the whole budget. An invoice that comes too late is never shown. @throws {WalletFault} when patience is over.
 */
async function withinPatience<T>(patienceMillis: number, asked: Promise<T>): Promise<T> {
  asked.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new WalletFault('unreachable', `The wallet did not answer within ${patienceMillis / 1000} s.`)),
      patienceMillis,
    );
  });
  return Promise.race([asked, over]).finally(() => clearTimeout(timer));
}

/**
 * Whether somebody will see that an invoice was paid. A provider may tell of one invoice and not of the next, whatever its
 * probe found; where payers prove their payments, it need not.
 */
function isSeenPaid(wallet: WalletRow, connector: Connector, { handle }: CreatedInvoice): boolean {
  const isAsked = connector.lookupHost === undefined || connector.lookupHost(handle) !== undefined;
  return isAsked || wallet.settlement_visibility === 'none';
}

const unseenText = 'The wallet gave an invoice without saying where its payment can be seen.';
const usedText = 'The wallet gave an invoice that it had given before.';

function unavailableText(fault: WalletFault | undefined): string {
  return fault ? `No wallet could make the invoice: ${fault.message}` : 'No wallet could make the invoice in time';
}

/** Saves what a probe found. */
export async function saveProbe(db: Database, walletId: string, probe: WalletProbe, now: Date): Promise<void> {
  await recordWalletProbe(
    db,
    walletId,
    {
      settlement_visibility: probe.settlementVisibility,
      min_sats: probe.minSats,
      max_sats: probe.maxSats,
      notes: [...probe.notes],
    },
    now,
  );
}
