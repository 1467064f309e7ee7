/** How Satline talks to a wallet; one adapter each in `lightning/adapters/`. */
export const connectionKinds = [
  'simulated',
  'lightning_address',
  'nwc',
  'lnd',
  'cln',
  'phoenixd',
  'lnbits',
  'btcpay',
  'blink',
] as const;
export type ConnectionKind = (typeof connectionKinds)[number];

/** How settlement of a wallet can be seen: a preimage, the wallet's authenticated word, or not at all. */
export const settlementVisibilities = ['proof', 'word', 'none'] as const;
export type SettlementVisibility = (typeof settlementVisibilities)[number];
