import { hashRecoveryCode } from '../auth/recovery-code.ts';
import { stepOfCode } from '../auth/totp.ts';
import type { Handle } from '../db/database.ts';
import type { Sealer } from '../kernel/secrets.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import type { SecondFactorRow } from '../model/second-factor.ts';
import { findSecondFactor, useRecoveryCode, useTotpStep } from '../store/second-factors.ts';
import type { Parts } from './parts.ts';
import { recordAccountAudit } from './record-audit.ts';

const placeOf = (userId: string) => sealedPlace('second_factors.secret', userId);

export function sealTotpSecret(sealer: Sealer, userId: string, secret: string): Buffer {
  return sealer.seal(secret, placeOf(userId));
}

export function openTotpSecret(sealer: Sealer, row: SecondFactorRow): string {
  return sealer.open(row.secret, placeOf(row.user_id)).toString();
}

/**
 * Takes a code of somebody's app, or one of their recovery codes, and uses it up: nobody who saw it typed can send it again.
 * @returns false when it is wrong or was used before.
 */
export async function spendCode(
  tx: Handle,
  { sealer, clock }: Pick<Parts, 'sealer' | 'clock'>,
  { userId, code, requestId }: { userId: string; code: string; requestId: string },
): Promise<boolean> {
  const now = clock.now();
  const digits = code.replace(/\s/g, '');
  if (/^\d{6}$/.test(digits)) {
    const row = await findSecondFactor(tx, userId);
    const step = row?.confirmed_at ? stepOfCode(openTotpSecret(sealer, row), digits, now) : undefined;
    return step !== undefined && useTotpStep(tx, userId, step);
  }
  const codeHash = hashRecoveryCode(code);
  if (codeHash === undefined || !(await useRecoveryCode(tx, userId, codeHash, now))) return false;
  await recordAccountAudit(tx, { userId, action: 'use_recovery_code', by: { requestId }, now });
  return true;
}
