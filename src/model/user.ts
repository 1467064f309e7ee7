import { Type } from 'typebox';
import type { Permission } from '../kernel/context.ts';
import { nullable, oneOf, uuid } from './fields.ts';
import type { MerchantStatus } from './merchant.ts';

export const roles = ['owner', 'manager', 'cashier', 'accountant'] as const;
export type Role = (typeof roles)[number];

/** What a role may do; `full` is everything. */
export const permissionsOfRole: Readonly<Record<Role, 'full' | readonly Permission[]>> = {
  owner: 'full',
  manager: 'full',
  cashier: ['orders:read', 'orders:write', 'checkout:read', 'checkout:write', 'payments:read', 'catalog:read'],
  accountant: [
    'orders:read',
    'payments:read',
    'catalog:read',
    'checkout:read',
    'webhooks:read',
    'wallets:read',
    'merchant:read',
  ],
};

export interface UserRow {
  id: string;
  email: string;
  name: string | null;
  password_hash: string | null;
  failed_count: number;
  locked_until: Date | null;
  has_second_factor: boolean;
  created_at: Date;
}

/** Somebody's place at a merchant. */
export interface Membership {
  merchant_id: string;
  role: Role;
  name: string;
  logo_url: string | null;
  currency: string;
  status: MerchantStatus;
}

export const signInSchema = Type.Object(
  {
    session_token: Type.String({ description: 'For /m/sessions/activate; lives 12 hours' }),
    merchants: Type.Array(
      Type.Object({
        id: uuid('Merchant'),
        name: Type.String(),
        logo_url: nullable(Type.String()),
        currency: Type.String(),
        role: oneOf(roles),
      }),
    ),
  },
  { description: 'A sign-in' },
);

export const deviceKeySchema = Type.Object(
  {
    api_key: Type.String({ description: 'Secret key of this device; shown once' }),
    merchant: Type.Object({ id: uuid('Merchant'), name: Type.String(), currency: Type.String() }),
  },
  { description: 'A device that may act for a merchant' },
);

/** Wrong passwords in a row until the account is locked, and for how long. */
export const mostWrongPasswords = 5;
export const lockSeconds = 15 * 60;
/** A device key that nobody used for so long is gone. */
export const deviceIdleDays = 30;
