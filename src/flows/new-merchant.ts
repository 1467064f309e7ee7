import type { Handle } from '../db/database.ts';
import { newId } from '../kernel/ids.ts';
import { simulatedAddress } from '../model/wallet.ts';
import { insertMerchant } from '../store/merchants.ts';
import { insertWallet } from '../store/wallets.ts';

interface MerchantRequest {
  name: string;
  email: string | null;
  /** Lower-case ISO 4217 code. */
  currency: string;
  /** IANA name. */
  timeZone: string;
  /** `pending`: it is there, but nobody can use it before it is activated. */
  status?: 'active' | 'pending';
}

/** Adds a merchant. Test mode starts with a simulated wallet, so that a first payment needs nothing else. */
export async function addMerchant(tx: Handle, request: MerchantRequest, now: Date): Promise<{ merchantId: string }> {
  const merchantId = newId();
  await insertMerchant(tx, { id: merchantId, status: 'active', ...request, now });
  await insertWallet(tx, {
    id: newId(),
    merchant_id: merchantId,
    livemode: false,
    name: 'Simulated test wallet',
    connection: 'simulated',
    lightning_address: simulatedAddress,
    credentials: null,
    settings: {},
    enabled: true,
    position: 1,
    max_payment_sats: null,
    min_sats: 1,
    max_sats: null,
    settlement_visibility: 'proof',
    notes: [],
    takes_preimages: false,
    last_checked_at: null,
    last_transaction_at: null,
    last_error: null,
    consecutive_failures: 0,
    created_at: now,
    updated_at: now,
  });
  return { merchantId };
}
