import type { Config } from '../../config.ts';
import { mayReachPrivateNetworks } from '../../demo.ts';
import { createOutbound } from '../../kernel/outbound.ts';
import { agreePrices, type SourceReport } from '../../rates/quorum.ts';
import { formatPrice, type HttpGet, type RateSource } from '../../rates/rate.ts';
import { usualMinimumSources } from '../../rates/rates.ts';
import { openSource } from '../../rates/sources.ts';
import { type Check, ok, trouble } from './check.ts';

const answerMillis = 5000;

/** Asks every source once, all at the same time. */
export async function checkRates(config: Config, signal: AbortSignal): Promise<Check[]> {
  const setting = config.rateSources;
  if (setting.kind === 'fixed') {
    const advice =
      'A fixed exchange rate is for development: set RATE_SOURCES to real sources before payments are live.';
    return [ok('exchange rates', `One bitcoin is fixed at ${setting.btcUsd} dollars.`, advice)];
  }
  const outbound = createOutbound({ allowPrivateNetworks: await mayReachPrivateNetworks(config) });
  const get: HttpGet = (url, inner) => outbound.request({ url, signal: inner, timeoutMillis: answerMillis });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMillis)]);
  try {
    const sources = setting.markets.map(({ name, url }) => openSource(name, url, get));
    const answers = await Promise.all(sources.map((source) => ask(source, limit)));
    const reports = answers.flatMap(({ report }) => report ?? []);
    return [...answers.map(({ check }) => check), checkAgreement(reports)];
  } finally {
    await outbound.close();
  }
}

async function ask(source: RateSource, limit: AbortSignal): Promise<{ check: Check; report?: SourceReport }> {
  const title = `exchange rate source ${source.name}`;
  const fetchedAt = new Date();
  try {
    const prices = await source.fetch(limit);
    const check = ok(title, `Answers: one bitcoin is ${prices.usd} dollars.`);
    return { check, report: { source: source.name, prices, fetchedAt } };
  } catch (error) {
    const reason = limit.aborted ? `no answer within ${answerMillis / 1000} s` : (error as Error).message;
    const advice = 'See that this machine may reach it, or choose other sources with RATE_SOURCES.';
    return { check: trouble(title, `Gives no price: ${reason.replace(/\.$/, '')}.`, advice) };
  }
}

function checkAgreement(reports: readonly SourceReport[]): Check {
  const price = agreePrices(reports, usualMinimumSources).get('usd')?.price;
  if (price !== undefined) return ok('exchange rates', `The sources agree on ${formatPrice(price)} dollars.`);
  const found = `No ${usualMinimumSources} sources agree on a price, so live orders get no invoice.`;
  return trouble('exchange rates', found, 'Name more sources in RATE_SOURCES: coinbase, kraken, bitstamp, mempool.');
}
