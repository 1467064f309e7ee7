import { type Clock, earlier } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import { agreePrices, type SourceReport } from './quorum.ts';
import { type ExchangeRate, formatPrice, knownCurrency, type RateSource, type Rates } from './rate.ts';

export interface RatesOptions {
  readonly sources: readonly RateSource[];
  /** Business time: the age of a price is measured with it. */
  readonly clock: Clock;
  readonly log: Logger;
  /** Pause between two rounds in the background, in seconds. */
  readonly refreshSeconds?: number;
  /** How many sources must agree on a price. */
  readonly minimumSources?: number;
  /** What each source has to answer in, in seconds. */
  readonly sourceTimeoutSeconds?: number;
}

/** Fewer than two could not contradict each other. */
export const usualMinimumSources = 2;

/** A report counts towards an agreement, and a rate is not stale, up to this age in seconds. */
const freshSeconds = 60;

/** Age in seconds up to which the last good price stands in while the sources are silent or disagree. */
const maxAgeSeconds = 300;

/** Rates agreed on by several markets. Throws an Error at once when there are too few sources to ever agree. */
export function createRates(options: RatesOptions): Rates {
  const { sources, clock, log } = options;
  const { refreshSeconds = 30, minimumSources = usualMinimumSources, sourceTimeoutSeconds = 5 } = options;
  if (sources.length < minimumSources) {
    throw new Error(`${minimumSources} exchange rate sources must agree, but only ${sources.length} are configured`);
  }

  const reports = new Map<string, SourceReport>();
  const inForce = new Map<string, Omit<ExchangeRate, 'stale'>>();
  const silent = new Set<string>();
  let agreeing = true;
  let round: { abort: AbortController; over: Promise<void> } | undefined;
  let firstRound: Promise<void> | undefined;
  let announceFirstRate: () => void = () => {};
  const firstRate = new Promise<void>((resolve) => {
    announceFirstRate = resolve;
  });
  let timer: NodeJS.Timeout | undefined;

  /** The distance in seconds either way: a clock that was set back must not make old prices young. */
  const ageSeconds = (moment: Date) => Math.abs(clock.now().getTime() - moment.getTime()) / 1000;

  function current(currency: string): ExchangeRate | undefined {
    const rate = inForce.get(currency);
    if (!rate) return undefined;
    const age = ageSeconds(rate.fetchedAt);
    return age <= maxAgeSeconds ? { ...rate, stale: age > freshSeconds } : undefined;
  }

  /** Puts in force what the fresh reports agree on; a currency they don't agree on keeps its last good price. */
  function publish(): boolean {
    const fresh = [...reports.values()].filter((report) => ageSeconds(report.fetchedAt) < freshSeconds);
    const agreed = agreePrices(fresh, minimumSources);
    const dollar = agreed.get('usd');
    if (!dollar) return false;
    for (const [currency, { price, source, fetchedAt }] of agreed) {
      inForce.set(currency, {
        btcUsd: formatPrice(dollar.price),
        btcFiat: formatPrice(price),
        currency,
        source,
        fetchedAt: earlier(fetchedAt, dollar.fetchedAt),
      });
    }
    announceFirstRate();
    return true;
  }

  async function ask(source: RateSource, abort: AbortController): Promise<void> {
    // From the question on: a price is at least as old as its answer.
    const fetchedAt = clock.now();
    try {
      const prices = await unlessAborted(source, abort.signal);
      reports.set(source.name, { source: source.name, prices, fetchedAt });
      if (silent.delete(source.name)) log.info({ source: source.name }, 'exchange rate source answers again');
      // With no price at all, two answers are worth more than waiting for a third.
      if (!current('usd')) publish();
    } catch (error) {
      if (abort.signal.reason === stopped) return;
      const reason = error instanceof Error ? error.message : String(error);
      if (!silent.has(source.name)) log.warn({ source: source.name, reason }, 'exchange rate source gives no price');
      silent.add(source.name);
    }
  }

  async function runRound(abort: AbortController): Promise<void> {
    const late = new Error(`no answer within ${sourceTimeoutSeconds} s`);
    const limit = setTimeout(() => abort.abort(late), sourceTimeoutSeconds * 1000);
    await Promise.all(sources.map((source) => ask(source, abort)));
    clearTimeout(limit);
    if (abort.signal.reason === stopped) return;
    const agree = publish();
    if (agree !== agreeing) {
      if (agree) log.info('exchange rate sources agree again');
      else log.warn({ sources: sources.length, minimumSources }, 'exchange rate sources agree on no price');
    }
    agreeing = agree;
  }

  function refresh(): Promise<void> {
    if (round) return round.over;
    const abort = new AbortController();
    const over = runRound(abort).finally(() => {
      if (round?.abort === abort) round = undefined;
    });
    round = { abort, over };
    firstRound ??= over;
    return over;
  }

  return {
    refresh,
    quote(text) {
      const currency = knownCurrency(text);
      const rate = current(currency);
      if (rate) return rate;
      throw new AppError('rate_unavailable', `No current BTC/${currency.toUpperCase()} exchange rate is available`, {
        retryAfterSeconds: refreshSeconds,
      });
    },
    prices() {
      const usable = [...inForce.keys()].sort().flatMap((currency) => current(currency) ?? []);
      return Object.fromEntries(usable.map((rate) => [rate.currency, rate.btcFiat]));
    },
    async ready() {
      await Promise.race([firstRate, firstRound ?? refresh()]);
    },
    start() {
      if (timer) return;
      void refresh();
      // Must not keep a process alive that is otherwise done.
      timer = setInterval(() => void refresh(), refreshSeconds * 1000).unref();
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
      round?.abort.abort(stopped);
      round = undefined;
    },
  };
}

const stopped = new Error('stopped');

/** Ends with the signal even if the source does not heed it. */
function unlessAborted(source: RateSource, signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    Promise.resolve()
      .then(() => source.fetch(signal))
      .then(resolve, reject);
  });
}
