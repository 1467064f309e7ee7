/** Open event streams in this process. Each holds a socket and looks into the database now and then. */
const mostPerMerchant = 20;
const mostInAll = 1000;

export interface StreamSlots {
  /** @returns what gives the place back, or undefined when too many are open. */
  take(merchantId: string): (() => void) | undefined;
}

export function createStreamSlots(): StreamSlots {
  const open = new Map<string, number>();
  let all = 0;

  function give(merchantId: string): void {
    all -= 1;
    const left = open.get(merchantId)! - 1;
    if (left === 0) open.delete(merchantId);
    else open.set(merchantId, left);
  }

  return {
    take(merchantId) {
      const mine = open.get(merchantId) ?? 0;
      if (mine >= mostPerMerchant || all >= mostInAll) return undefined;
      open.set(merchantId, mine + 1);
      all += 1;
      let given = false;
      return () => {
        if (!given) give(merchantId);
        given = true;
      };
    },
  };
}
