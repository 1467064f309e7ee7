import { afterEach, describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../../src/kernel/clock.ts';
import { AppError } from '../../src/kernel/errors.ts';
import { silentLog } from '../../src/kernel/log.ts';
import type { HttpGet, RateSource } from '../../src/rates/rate.ts';
import { createRates, type RatesOptions } from '../../src/rates/rates.ts';
import { openSource } from '../../src/rates/sources.ts';

/** A source that says what it is told to. */
class TestSource implements RateSource {
  readonly name: string;
  calls = 0;
  answer: () => Promise<Record<string, string>>;

  constructor(name: string, prices: Record<string, string>) {
    this.name = name;
    this.answer = async () => prices;
  }

  fetch(): Promise<Record<string, string>> {
    this.calls += 1;
    return this.answer();
  }

  says(prices: Record<string, string>): void {
    this.answer = async () => prices;
  }

  fails(): void {
    this.answer = async () => {
      throw new Error('HTTP status 403');
    };
  }

  hangs(): void {
    this.answer = () => new Promise(() => {});
  }
}

const noon = new Date('2026-11-28T12:00:00.000Z');

function setUp(options: Partial<RatesOptions> = {}) {
  const clock = new ManualClock(noon);
  const a = new TestSource('coinbase', { usd: '100000', eur: '86000', brl: '520000' });
  const b = new TestSource('kraken', { usd: '101000', eur: '87000' });
  const rates = createRates({ sources: [a, b], clock, log: silentLog, sourceTimeoutSeconds: 0.05, ...options });
  return { clock, a, b, rates };
}

function fault(work: () => unknown): AppError {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a quote', () => {
  test('carries the prices, their sources and their time', async () => {
    const { rates } = setUp();
    await rates.ready();
    expect(rates.quote('EUR')).toEqual({
      btcUsd: '100500.00',
      btcFiat: '86500.00',
      currency: 'eur',
      source: 'median:coinbase,kraken',
      fetchedAt: noon,
      stale: false,
    });
    expect(rates.quote('usd').btcFiat).toBe('100500.00');
    expect(rates.quote('brl')).toMatchObject({
      btcFiat: '522600.00',
      source: 'median:coinbase,kraken cross:coinbase',
    });
    expect(rates.prices()).toEqual({ brl: '522600.00', eur: '86500.00', usd: '100500.00' });
  });

  test('speaks of the currency when there is no such one (case C041)', async () => {
    const { rates } = setUp();
    await rates.refresh();
    for (const text of ['xyz', 'XAU', '', 'usdollar'.repeat(100)]) {
      const error = fault(() => rates.quote(text));
      expect(error.code).toBe('validation_error');
      expect(error.details).toHaveLength(1);
      expect(error.details?.[0]).toMatch(/^currency ".{0,16}" is not/);
      expect(`${error.message} ${error.details}`).not.toMatch(/wallet/i);
    }
  });

  test('names the currency that has no rate (case C041)', async () => {
    const { rates } = setUp();
    await rates.refresh();
    const error = fault(() => rates.quote('kpw'));
    expect(error).toMatchObject({ code: 'rate_unavailable', status: 503, retryAfterSeconds: 30 });
    expect(error.message).toContain('KPW');
    expect(error.message).not.toMatch(/wallet/i);
  });

  test('asks nobody', async () => {
    const { rates, a } = setUp();
    expect(fault(() => rates.quote('usd')).code).toBe('rate_unavailable');
    expect(rates.prices()).toEqual({});
    expect(a.calls).toBe(0);
    await rates.ready();
    for (let i = 0; i < 100; i += 1) rates.quote('usd');
    await rates.ready();
    expect(a.calls).toBe(1);
  });

  test('grows stale after a minute and is refused after five', async () => {
    const { rates, clock } = setUp();
    await rates.refresh();
    clock.advanceSeconds(60);
    expect(rates.quote('usd').stale).toBe(false);
    clock.advanceSeconds(1);
    expect(rates.quote('usd')).toMatchObject({ stale: true, fetchedAt: noon });
    clock.advanceSeconds(239);
    expect(rates.quote('usd').stale).toBe(true);
    clock.advanceSeconds(0.001);
    expect(fault(() => rates.quote('usd')).code).toBe('rate_unavailable');
    expect(rates.prices()).toEqual({});
  });

  test('is refused as well when the clock was set far back', async () => {
    const { rates, clock } = setUp();
    await rates.refresh();
    clock.advanceSeconds(-1);
    expect(rates.quote('usd').stale).toBe(false);
    clock.advanceSeconds(-3600);
    expect(fault(() => rates.quote('usd')).code).toBe('rate_unavailable');
  });
});

describe('a round', () => {
  test('is shared by all who ask for one at the same time', async () => {
    const { rates, a, b } = setUp();
    await Promise.all([rates.refresh(), rates.refresh(), rates.ready(), rates.ready()]);
    expect([a.calls, b.calls]).toEqual([1, 1]);
    await rates.refresh();
    expect([a.calls, b.calls]).toEqual([2, 2]);
  });

  test('goes through without a source that fails, hangs or throws at once', async () => {
    const third = new TestSource('third', {});
    const clock = new ManualClock(noon);
    const { a, b } = setUp();
    const rates = createRates({ sources: [third, a, b], clock, log: silentLog, sourceTimeoutSeconds: 0.05 });
    third.answer = () => {
      throw new Error('at once');
    };
    await rates.refresh();
    expect(rates.quote('usd').source).toBe('median:coinbase,kraken');
    third.hangs();
    await rates.refresh();
    third.says({ usd: 'NaN' });
    await rates.refresh();
    expect(rates.quote('usd').source).toBe('median:coinbase,kraken');
    third.says({ usd: '100200' });
    await rates.refresh();
    expect(rates.quote('usd')).toMatchObject({ btcFiat: '100200.00', source: 'median:coinbase,kraken,third' });
  });

  test('gives a first price without waiting for a source that hangs', async () => {
    const third = new TestSource('third', {});
    third.hangs();
    const { a, b } = setUp();
    const clock = new ManualClock(noon);
    const rates = createRates({ sources: [third, a, b], clock, log: silentLog, sourceTimeoutSeconds: 60 });
    await rates.ready();
    expect(rates.quote('usd').btcFiat).toBe('100500.00');
    rates.stop();
  });

  test('is over for ready() even when all sources are down', async () => {
    const { rates, a, b } = setUp();
    a.fails();
    b.hangs();
    await rates.ready();
    expect(fault(() => rates.quote('usd')).code).toBe('rate_unavailable');
  });

  test('keeps the last good price while sources are silent or disagree, and its age', async () => {
    const { rates, clock, a, b } = setUp();
    await rates.refresh();
    clock.advanceSeconds(90);
    a.fails();
    b.fails();
    await rates.refresh();
    expect(rates.quote('usd')).toMatchObject({ btcFiat: '100500.00', fetchedAt: noon, stale: true });

    a.says({ usd: '100000' });
    b.says({ usd: '120000' });
    clock.advanceSeconds(90);
    await rates.refresh();
    expect(rates.quote('usd')).toMatchObject({ btcFiat: '100500.00', fetchedAt: noon });

    clock.advanceSeconds(121);
    await rates.refresh();
    expect(fault(() => rates.quote('usd')).code).toBe('rate_unavailable');

    b.says({ usd: '100100' });
    await rates.refresh();
    expect(rates.quote('usd')).toMatchObject({ btcFiat: '100050.00', stale: false, fetchedAt: clock.now() });
  });

  test('counts an answer for a minute, and the price as old as it', async () => {
    const { rates, clock, a, b } = setUp();
    await rates.refresh();
    b.fails();
    a.says({ usd: '102000' });
    clock.advanceSeconds(59);
    await rates.refresh();
    expect(rates.quote('usd')).toMatchObject({ btcFiat: '101500.00', fetchedAt: noon, stale: false });
    a.says({ usd: '103000' });
    clock.advanceSeconds(1);
    await rates.refresh();
    expect(rates.quote('usd').btcFiat).toBe('101500.00');
  });

  test('keeps a currency that is missing this time', async () => {
    const { rates, clock, a } = setUp();
    await rates.refresh();
    a.says({ usd: '102000', eur: '87500' });
    clock.advanceSeconds(70);
    await rates.refresh();
    expect(rates.quote('brl')).toMatchObject({ btcUsd: '100500.00', btcFiat: '522600.00', stale: true });
    expect(rates.quote('eur')).toMatchObject({ btcUsd: '101500.00', stale: false });
  });
});

describe('the background work', () => {
  test('refreshes every 30 seconds until it is stopped', async () => {
    vi.useFakeTimers();
    const { rates, a } = setUp();
    rates.start();
    rates.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(a.calls).toBe(1);
    expect(rates.quote('usd').btcFiat).toBe('100500.00');
    await vi.advanceTimersByTimeAsync(29_999);
    expect(a.calls).toBe(1);
    await vi.advanceTimersByTimeAsync(60_001);
    expect(a.calls).toBe(4);
    rates.stop();
    rates.stop();
    await vi.advanceTimersByTimeAsync(300_000);
    expect(a.calls).toBe(4);
    expect(vi.getTimerCount()).toBe(0);
    rates.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(a.calls).toBe(5);
    rates.stop();
  });

  test('gives each source five seconds', async () => {
    vi.useFakeTimers();
    const clock = new ManualClock(noon);
    const signals: AbortSignal[] = [];
    const source: RateSource = {
      name: 'slow',
      fetch(signal) {
        signals.push(signal);
        return new Promise(() => {});
      },
    };
    const { a } = setUp();
    const rates = createRates({ sources: [source, a], clock, log: silentLog });
    let over = false;
    void rates.refresh().then(() => {
      over = true;
    });
    await vi.advanceTimersByTimeAsync(4999);
    expect([over, signals[0]?.aborted]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect([over, signals[0]?.aborted]).toEqual([true, true]);
  });

  test('drops the round under way when it is stopped', async () => {
    const { rates, a, b } = setUp({ sourceTimeoutSeconds: 60 });
    a.hangs();
    b.hangs();
    const round = rates.refresh();
    rates.stop();
    await round;
    expect(rates.prices()).toEqual({});
  });
});

test('refuses to start with fewer sources than must agree', () => {
  const only = new TestSource('coinbase', {});
  expect(() => createRates({ sources: [only], clock: new ManualClock(), log: silentLog })).toThrow(
    /2 exchange rate sources/,
  );
});

test('logs a silent source once, and its return', async () => {
  const lines: string[] = [];
  const write = (first: object | string, second?: string) => lines.push(second ?? String(first));
  const log = { ...silentLog, warn: write, info: write } as unknown as RatesOptions['log'];
  const { rates, a, b, clock } = setUp({ log });
  await rates.refresh();
  clock.advanceSeconds(70);
  a.fails();
  for (let i = 0; i < 3; i += 1) await rates.refresh();
  a.says({ usd: '100000' });
  b.says({ usd: '100000' });
  await rates.refresh();
  expect(lines).toEqual([
    'exchange rate source gives no price',
    'exchange rate sources agree on no price',
    'exchange rate source answers again',
    'exchange rate sources agree again',
  ]);
});

test('lives through every kind of bad answer (case C039)', async () => {
  const answers: (() => Promise<{ status: number; body: Buffer }>)[] = [
    async () => ({ status: 403, body: Buffer.from('<html>') }),
    () => new Promise(() => {}),
    ...['{"USD":0}', '{"USD":NaN}', '{"USD":"abc"}', '{"USD":-1}', '<html>'].map((text) => async () => ({
      status: 200,
      body: Buffer.from(text),
    })),
  ];
  let next = 0;
  const bad: HttpGet = () => answers[next % answers.length]!();
  const { a, b } = setUp();
  const clock = new ManualClock(noon);
  const sources = [openSource('mempool', 'https://mempool.example', bad), a, b];
  const rates = createRates({ sources, clock, log: silentLog, sourceTimeoutSeconds: 0.02 });
  const alone = createRates({ sources: sources.slice(0, 2), clock, log: silentLog, sourceTimeoutSeconds: 0.02 });
  for (next = 0; next < answers.length; next += 1) {
    await Promise.all([rates.refresh(), alone.refresh()]);
    expect(rates.quote('usd')).toMatchObject({ btcUsd: '100500.00', source: 'median:coinbase,kraken' });
    expect(fault(() => alone.quote('usd')).code).toBe('rate_unavailable');
    clock.advanceSeconds(400);
  }
});
