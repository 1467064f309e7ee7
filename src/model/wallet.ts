import { type Static, Type } from 'typebox';
import {
  type ConnectionKind,
  type SettlementVisibility,
  type SimulatorSettings,
  settlementVisibilities,
} from './connection.ts';
import { livemode, nullable, objectName, oneOf, timestamp, uuid } from './fields.ts';
import { simulationSchema, toSimulation } from './simulation.ts';

export interface WalletRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  name: string;
  connection: ConnectionKind;
  lightning_address: string | null;
  credentials: Buffer | null;
  /** Of the simulated wallet; empty for others. */
  settings: SimulatorSettings;
  enabled: boolean;
  position: number;
  is_default: boolean;
  max_payment_sats: number | null;
  min_sats: number;
  max_sats: number | null;
  settlement_visibility: SettlementVisibility;
  notes: string[];
  last_checked_at: Date | null;
  last_transaction_at: Date | null;
  last_error: string | null;
  consecutive_failures: number;
  /** A payer may prove a payment with its preimage, as long as the wallet cannot tell by itself. */
  takes_preimages: boolean;
  /** Removed by the merchant: shown nowhere, but its open invoices stay watched. */
  deleted_at: Date | null;
  /** Breaker open, by the database's clock at reading. */
  broken: boolean;
  created_at: Date;
  updated_at: Date;
}

/** What an answer shows of it. */
export const shownOfWallet = [
  'id',
  'livemode',
  'name',
  'connection',
  'lightning_address',
  'enabled',
  'position',
  'is_default',
  'max_payment_sats',
  'max_sats',
  'settlement_visibility',
  'takes_preimages',
  'broken',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof WalletRow)[];
export type ShownWallet = Pick<WalletRow, (typeof shownOfWallet)[number]>;

/** What the simulated wallet of test mode is pasted as. */
export const simulatedAddress = 'test@simulated.invalid';

export const takesPreimagesText =
  'Whether a payer may prove a payment with its preimage; counts while settlement_visibility is none';

const fields = {
  object: objectName('wallet'),
  livemode,
  id: uuid('Wallet'),
  name: Type.String(),
  wallet_type: oneOf(['lightning']),
  connection: Type.String({ description: 'How Satline talks to the wallet' }),
  status: oneOf(['active', 'disabled'] as const),
  enabled: Type.Boolean(),
  is_default: Type.Boolean({ description: 'First in line among the enabled wallets' }),
  position: Type.Integer(),
  operational: Type.Boolean({ description: 'Whether the wallet can take payments now' }),
  settlement_visibility: oneOf(settlementVisibilities, 'How a settled payment is recognised'),
  lightning: Type.Object({
    lightning_address: nullable(Type.String()),
    max_payment_sats: nullable(Type.Integer({ description: 'Largest payment, in satoshis; null: no limit' })),
  }),
  created_at: timestamp('When the wallet was connected'),
  updated_at: timestamp('When the wallet was last changed'),
};

export const walletSchema = Type.Object(fields, { description: 'A connected wallet' });
export type Wallet = Static<typeof walletSchema>;

export const walletDetailSchema = Type.Object(
  {
    ...fields,
    last_checked_at: nullable(timestamp('Last time the wallet answered or failed')),
    last_transaction_at: nullable(timestamp('Last settled payment')),
    last_error: nullable(Type.String()),
    consecutive_failures: Type.Integer(),
    notes: Type.Array(Type.String(), { description: 'Remarks of the last probe' }),
    takes_preimages: Type.Boolean({ description: takesPreimagesText }),
    simulation: Type.Optional(simulationSchema),
  },
  { description: 'A connected wallet with its health' },
);
type WalletDetail = Static<typeof walletDetailSchema>;

/** The smaller of the merchant's own ceiling and the wallet's; null when neither sets one. */
export function largestPaymentSats(row: Pick<WalletRow, 'max_payment_sats' | 'max_sats'>): number | null {
  const limits = [row.max_payment_sats, row.max_sats].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** Able to take payments now: enabled, its breaker closed, its settlement visible. */
export function isOperational(row: SettlementSigns & Pick<WalletRow, 'enabled' | 'broken'>): boolean {
  return row.enabled && !row.broken && canSeeSettlement(row);
}

type SettlementSigns = Pick<WalletRow, 'settlement_visibility' | 'takes_preimages'>;

/** Whether anybody could tell that an invoice of the wallet was paid: the wallet, or a payer with the proof. */
export function canSeeSettlement(row: SettlementSigns): boolean {
  return row.settlement_visibility !== 'none' || row.takes_preimages;
}

/**
 * Whether a preimage that a payer shows counts. Where the wallet tells by itself none is asked for: the proof would only
 * be as good as that wallet is discreet.
 */
export function asksForPreimage(row: SettlementSigns): boolean {
  return row.settlement_visibility === 'none' && row.takes_preimages;
}

/** A new wallet, before it is asked anything. */
export type NewWalletRow = Omit<WalletRow, 'broken' | 'is_default' | 'deleted_at'> & {
  /** What tells it from others of the merchant, as a keyed hash. */
  identity?: string;
};

export function toWallet(row: ShownWallet): Wallet {
  return {
    object: 'wallet',
    livemode: row.livemode,
    id: row.id,
    name: row.name,
    wallet_type: 'lightning',
    connection: row.connection,
    status: row.enabled ? 'active' : 'disabled',
    enabled: row.enabled,
    is_default: row.is_default,
    position: row.position,
    operational: isOperational(row),
    settlement_visibility: row.settlement_visibility,
    lightning: { lightning_address: row.lightning_address, max_payment_sats: largestPaymentSats(row) },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

export function toWalletDetail(row: WalletRow): WalletDetail {
  return {
    ...toWallet(row),
    last_checked_at: row.last_checked_at?.toISOString() ?? null,
    last_transaction_at: row.last_transaction_at?.toISOString() ?? null,
    last_error: row.last_error,
    consecutive_failures: row.consecutive_failures,
    notes: row.notes,
    takes_preimages: row.takes_preimages,
    ...(row.connection === 'simulated' ? { simulation: toSimulation(row.settings) } : {}),
  };
}
