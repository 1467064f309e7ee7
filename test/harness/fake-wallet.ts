import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from '../../src/app.ts';
import type { Database } from '../../src/db/database.ts';
import type { Parts } from '../../src/flows/parts.ts';
import { watchInvoices } from '../../src/jobs/watch-invoices.ts';
import { addSeconds, type Clock } from '../../src/kernel/clock.ts';
import { encodeBolt11 } from '../../src/lightning/bolt11-encode.ts';
import {
  type Connector,
  type CreatedInvoice,
  type InvoiceFact,
  type InvoiceRequest,
  type LookupRequest,
  WalletFault,
} from '../../src/lightning/connector.ts';
import type { WalletRow } from '../../src/model/wallet.ts';
import { createWalletRuntime } from '../../src/wallets/runtime.ts';
import type { TestApp, TestMerchant } from './app.ts';
import { Client } from './client.ts';

type Create = (request: InvoiceRequest, signal: AbortSignal) => Promise<CreatedInvoice>;
type Lookup = (request: LookupRequest, signal: AbortSignal) => Promise<InvoiceFact>;

const nodeKey = createHash('sha256').update('node key of the fake wallet').digest();

/** A wallet whose every answer a test decides. It signs real regtest invoices and counts what it is asked. */
export class FakeWallet {
  readonly created: InvoiceRequest[] = [];
  readonly lookedUp: LookupRequest[] = [];
  readonly #clock: Clock;
  readonly #preimages = new Map<string, string>();
  readonly #paid = new Set<string>();
  /** How long invoices live. */
  expirySeconds = 900;
  onCreate: Create = (request) => this.make(request);
  onLookup: Lookup = async ({ paymentHash }) => this.word(paymentHash);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  readonly connector: Connector = {
    kind: 'simulated',
    probe: async () => ({ settlementVisibility: 'proof', minSats: 1, maxSats: null, canSpend: false, notes: [] }),
    createInvoice: (request, signal) => {
      this.created.push(request);
      return this.onCreate(request, signal);
    },
    lookupInvoice: (request, signal) => {
      this.lookedUp.push(request);
      return this.onLookup(request, signal);
    },
  };

  async make(request: InvoiceRequest, preimage: Buffer = randomBytes(32)): Promise<CreatedInvoice> {
    const timestamp = new Date(Math.floor(this.#clock.now().getTime() / 1000) * 1000);
    const paymentHash = createHash('sha256').update(preimage).digest('hex');
    this.#preimages.set(paymentHash, preimage.toString('hex'));
    const bolt11 = encodeBolt11(
      {
        network: 'regtest',
        amountMsat: request.amountMsat,
        timestamp,
        expirySeconds: this.expirySeconds,
        paymentHash,
        paymentSecret: randomBytes(32).toString('hex'),
        describedBy: { description: request.description },
      },
      nodeKey,
    );
    return { bolt11, paymentHash, expiresAt: addSeconds(timestamp, this.expirySeconds), handle: {} };
  }

  /** The payer pays: from now on look-ups say settled, with the preimage. */
  pay(paymentHash: string): void {
    this.#paid.add(paymentHash);
  }

  preimageOf(paymentHash: string): string {
    return this.#preimages.get(paymentHash)!;
  }

  /** What an honest wallet says of an invoice. */
  word(paymentHash: string): InvoiceFact {
    if (!this.#paid.has(paymentHash)) return { state: 'pending' };
    const preimage = this.#preimages.get(paymentHash);
    return { state: 'settled', receivedMsat: undefined, preimage, settledAt: undefined };
  }
}

/** Ways for a wallet to behave badly. */
export const hang = (_request: unknown, signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(new WalletFault('unreachable', 'Aborted.'))),
  );
/** Not even its signal ends it. */
export const hangForGood = (): Promise<never> => new Promise(() => {});
export const fail = async (): Promise<never> => {
  throw new WalletFault('unreachable', 'The node is locked or still starting.');
};
export const refuse = async (): Promise<never> => {
  throw new WalletFault('refused', 'The wallet refused: no liquidity.');
};
/** Does the rest after a while, unless it is called off. */
export function late<Request, Answer>(
  millis: number,
  rest: (request: Request, signal: AbortSignal) => Promise<Answer>,
): (request: Request, signal: AbortSignal) => Promise<Answer> {
  return async (request, signal) => {
    await sleep(millis, undefined, { signal }).catch(() => {
      throw new WalletFault('unreachable', 'Called off.');
    });
    return rest(request, signal);
  };
}

/** The app of a test with other wallets behind it: the same database, clock and routes. */
export interface AppWithWallets {
  parts: Parts;
  /** The merchant's test key on this app. */
  client(of: TestMerchant): Client;
  /** Lets a watcher run until `close`. */
  watch(): void;
  /** How many calls wait for the invoice request of another. */
  waiting(): number;
  close(): Promise<void>;
}

export async function withWallets(app: TestApp, open: (wallet: WalletRow) => Connector): Promise<AppWithWallets> {
  const { db, clock, log, metrics } = app.parts;
  let waiting = 0;
  const watched: Database = {
    ...db,
    onWake(channel, listener) {
      const stop = db.onWake(channel, listener);
      if (channel !== 'request_settled') return stop;
      waiting++;
      return () => {
        waiting--;
        stop();
      };
    },
  };
  const wallets = createWalletRuntime({ db, clock, log, metrics, open });
  const parts: Parts = { ...app.parts, db: watched, wallets };
  const server = await buildApp(parts);
  const watchers: { stop(): Promise<void> }[] = [];
  return {
    parts,
    client: ({ test }) => new Client(server, test.key, test.id),
    watch: () => void watchers.push(watchInvoices(parts)),
    waiting: () => waiting,
    async close() {
      await server.close();
      await Promise.all(watchers.map((watcher) => watcher.stop()));
    },
  };
}

/** Keeps every call that comes until it is opened; then the calls do the rest. */
export function gate<Request, Answer>(rest: (request: Request, signal: AbortSignal) => Promise<Answer>) {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    open: () => open(),
    async call(request: Request, signal: AbortSignal): Promise<Answer> {
      await opened;
      return rest(request, signal);
    },
  };
}
