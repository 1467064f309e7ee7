/** Small seeded randomness, so that a storm can be had again. `SEED=…` in the environment sets where it starts. */
export interface Dice {
  /** 0 ≤ x < 1 */
  next(): number;
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  pick<Choice>(choices: readonly Choice[]): Choice;
  chance(share: number): boolean;
}

/** mulberry32: the same numbers for the same seed on every machine. */
export function dice(seed: number): Dice {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return { next, below, pick: (choices) => choices[below(choices.length)]!, chance: (share) => next() < share };
}

/** The seed this run starts from: given, or new. */
export function firstSeed(): number {
  return process.env.SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(process.env.SEED);
}

export const soak = process.env.SOAK !== undefined;
