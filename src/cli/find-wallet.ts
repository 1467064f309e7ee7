import type { Handle } from '../db/database.ts';
import type { WalletRow } from '../model/wallet.ts';
import { findWalletForJob } from '../store/wallets.ts';
import { CliFailure } from './failure.ts';

/** Of any merchant: whoever runs commands runs the installation. @throws {CliFailure} */
export async function requireWalletForOperator(db: Handle, id: string): Promise<WalletRow> {
  const wallet = await findWalletForJob(db, id);
  if (wallet && wallet.deleted_at === null) return wallet;
  throw new CliFailure(`No wallet has the id ${id}. "satline wallet list" shows them.`);
}
