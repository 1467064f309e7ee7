/** How Satline talks to a wallet; one adapter each in `lightning/adapters/`. */
const connectionKinds = [
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

/** Those whose wallets tell by themselves that they were paid (`follow` of their adapters). */
export const pushingKinds: readonly ConnectionKind[] = ['nwc', 'lnd', 'cln', 'phoenixd', 'lnbits', 'blink'];

/** Those whose wallets may be unable to tell whether an invoice was paid; all others have an API that says. */
export const silentKinds: readonly ConnectionKind[] = ['lightning_address'];

/** How settlement of a wallet can be seen: a preimage, the wallet's authenticated word, or not at all. */
export const settlementVisibilities = ['proof', 'word', 'none'] as const;
export type SettlementVisibility = (typeof settlementVisibilities)[number];

/** How a simulated wallet behaves, as `wallets.settings` keeps it. What is left out it does not do. */
export interface SimulatorSettings {
  /** Every call fails, as if the wallet were offline. */
  readonly fail?: boolean;
  /** Every call takes this long. */
  readonly delayMs?: number;
  /** Until it is paid, an invoice reads as held. */
  readonly hold?: boolean;
  /** Invoices pay themselves this long after they were made, also when they have run out by then. */
  readonly payAfterSeconds?: number;
}
