import { asksForPreimage, isOperational, largestPaymentSats, toWalletDetail, type WalletRow } from '../model/wallet.ts';

/** A wallet as the command line shows it: the interface's view, its owner and its own limits. */
export function walletJson(row: WalletRow) {
  return { ...toWalletDetail(row), merchant_id: row.merchant_id, min_sats: row.min_sats, max_sats: row.max_sats };
}

export const settlementText = {
  proof: 'seen, with a proof (the preimage) from the wallet',
  word: 'seen, on the word of the wallet',
  none: 'not seen: the wallet does not tell whether an invoice was paid',
} as const;

/** The facts of a wallet, one a line. */
export function walletFacts(row: WalletRow): string {
  const facts = [
    ['id', row.id],
    ['mode', row.livemode ? 'live' : 'test'],
    ['state', stateText(row)],
    [
      'settlement',
      asksForPreimage(row) ? 'shown by the payer, with the preimage' : settlementText[row.settlement_visibility],
    ],
    ['one payment', rangeText(row)],
    ...row.notes.map((note) => ['note', note]),
    ...simulationFacts(row),
  ];
  return facts.map(([name, value]) => `  ${name!.padEnd(12)}${value}`).join('\n');
}

/** What the simulated wallet was told to do; nothing for a real one. */
function simulationFacts({ settings: { fail, delayMs, hold, payAfterSeconds } }: WalletRow): string[][] {
  const told = [
    ...(fail ? ['fails'] : []),
    ...(delayMs ? [`takes ${delayMs} ms`] : []),
    ...(hold ? ['holds payments'] : []),
    ...(payAfterSeconds === undefined ? [] : [`pays itself after ${payAfterSeconds} s`]),
  ];
  return told.length === 0 ? [] : [['simulates', told.join(', ')]];
}

export function stateText(row: WalletRow): string {
  if (!row.enabled) return 'disabled';
  if (isOperational(row)) return row.is_default ? 'takes payments, first in line' : 'takes payments';
  return row.broken ? 'paused after failing' : 'takes no payments';
}

function rangeText(row: WalletRow): string {
  const largest = largestPaymentSats(row);
  const from = row.min_sats.toLocaleString('en-US');
  return largest === null ? `from ${from} sats` : `${from} to ${largest.toLocaleString('en-US')} sats`;
}
