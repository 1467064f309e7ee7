import { median } from './load.js';

/** The first round is longer: compilers and caches have to settle. */
const warmUpFactor = 3;

/**
 * Runs candidates in turn, round by round, so that whatever else the machine does hits all of them; the first round warms
 * up and is dropped. @returns each candidate's rounds.
 */
export async function rounds(candidates, { count, seconds, between = async () => {} }) {
  const results = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]));
  for (let round = -1; round < count; round++) {
    for (const [name, run] of Object.entries(candidates)) {
      const result = await run(round < 0 ? seconds * warmUpFactor : seconds);
      if (round >= 0) results[name].push(result);
      await between();
    }
  }
  return results;
}

/** The median over rounds of `of(a) / of(b)`, each taken within one round. */
export function ratio(a, b, of = ({ rate }) => rate) {
  return median(a.map((result, round) => of(result) / of(b[round])));
}
