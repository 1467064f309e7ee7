/**
 * Shares out a whole amount over weights so that the parts add up to it exactly: each gets its rounded-down share, and
 * what is left goes one by one to the largest fractions, the first of equals first. All weights 0: the first takes all.
 * @returns parts in the order of the weights; empty for no weights.
 */
export function shareOut(total: number, weights: readonly number[]): number[] {
  if (weights.length === 0) return [];
  const sum = weights.reduce((all, weight) => all + BigInt(weight), 0n);
  if (sum === 0n) return weights.map((_, index) => (index === 0 ? total : 0));
  const whole = BigInt(total);
  const shares = weights.map((weight, index) => {
    const product = whole * BigInt(weight);
    return { index, part: product / sum, fraction: product % sum };
  });
  let left = whole - shares.reduce((all, { part }) => all + part, 0n);
  const byFraction = [...shares].sort((a, b) =>
    a.fraction === b.fraction ? a.index - b.index : a.fraction > b.fraction ? -1 : 1,
  );
  for (const share of byFraction) {
    if (left === 0n) break;
    share.part += 1n;
    left -= 1n;
  }
  return shares.map(({ part }) => Number(part));
}
