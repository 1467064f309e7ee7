import { median } from './load.js';

/** How many times as long as the others the first round is: caches have to fill. */
const warmUpFactor = 3;
/** Until V8 has compiled what runs a few thousand times a second, and optimised it; before that, figures are a fifth lower. */
export const settlingSeconds = 12;

/**
 * Runs candidates in turn, round by round, so that whatever else the machine does hits all of them; the first round warms
 * up and is dropped.
 * @param {Record<string, (seconds: number) => Promise<any>>} candidates
 * @param {object} settings
 * @param {number} settings.count
 * @param {number} settings.seconds
 * @param {number} [settings.warmUpSeconds] of the first round, for rows that measure code at full speed
 * @param {() => Promise<unknown>} [settings.between]
 * @returns {Promise<Record<string, any[]>>} each candidate's rounds
 */
export async function rounds(candidates, { count, seconds, warmUpSeconds = 0, between = async () => {} }) {
  /** @type {Record<string, any[]>} */
  const results = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]));
  for (let round = -1; round < count; round++) {
    for (const [name, run] of Object.entries(candidates)) {
      const result = await run(round < 0 ? Math.max(warmUpSeconds, seconds * warmUpFactor) : seconds);
      if (round >= 0) results[name].push(result);
      await between();
    }
  }
  return results;
}

/**
 * The median over rounds of `of(a) / of(b)`, each taken within one round.
 * @param {any[]} a
 * @param {any[]} b
 * @param {(result: any) => number} [of]
 */
export function ratio(a, b, of = ({ rate }) => rate) {
  return median(a.map((result, round) => of(result) / of(b[round])));
}
