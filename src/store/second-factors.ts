import { type Handle, statement } from '../db/database.ts';
import type { SecondFactorRow } from '../model/second-factor.ts';

const columns = 'user_id, secret, confirmed_at, last_step, created_at';

const find = statement('second_factors_find', `select ${columns} from second_factors where user_id = $1`);
// One that is on stays: only turning it off first makes way for another.
const begin = statement(
  'second_factors_begin',
  `insert into second_factors (user_id, secret, created_at) values ($1, $2, $3)
   on conflict (user_id) do update set secret = excluded.secret, created_at = excluded.created_at
    where second_factors.confirmed_at is null`,
);
const confirm = statement(
  'second_factors_confirm',
  `update second_factors set confirmed_at = $2, last_step = $3
    where user_id = $1 and confirmed_at is null and secret = $4`,
);
// One statement, so that of two who send the same code at the same moment one is too late.
const useStep = statement(
  'second_factors_use_step',
  `update second_factors set last_step = $2
    where user_id = $1 and confirmed_at is not null and (last_step is null or last_step < $2)`,
);
const remove = statement('second_factors_delete', 'delete from second_factors where user_id = $1');
const addCodes = statement(
  'recovery_codes_add',
  `insert into recovery_codes (user_id, code_hash, created_at)
   select $1, decode(hex, 'hex'), $3 from unnest($2::text[]) as hex`,
);
const useCode = statement(
  'recovery_codes_use',
  'update recovery_codes set used_at = $3 where user_id = $1 and code_hash = $2 and used_at is null',
);
const countCodes = statement(
  'recovery_codes_count',
  'select count(*)::int as count from recovery_codes where user_id = $1 and used_at is null',
);
const removeCodes = statement('recovery_codes_delete', 'delete from recovery_codes where user_id = $1');

export function findSecondFactor(db: Handle, userId: string): Promise<SecondFactorRow | undefined> {
  return db.maybeOne(find, [userId]);
}

/** Keeps the secret of an app that is to be confirmed. @returns false when there is one that is on. */
export async function beginSecondFactor(tx: Handle, userId: string, secret: Buffer, now: Date): Promise<boolean> {
  return (await tx.run(begin, [userId, secret, now])) === 1;
}

/** Turns it on. @param step whose code proved it @returns false when it is on already or another was begun meanwhile. */
export async function confirmSecondFactor(tx: Handle, row: SecondFactorRow, step: number, now: Date): Promise<boolean> {
  return (await tx.run(confirm, [row.user_id, now, step, row.secret])) === 1;
}

/** Uses up a step and all before it. @returns false when that was done before. */
export async function useTotpStep(tx: Handle, userId: string, step: number): Promise<boolean> {
  return (await tx.run(useStep, [userId, step])) === 1;
}

/** Takes factor and recovery codes away. @returns false when there was none that was on or being set up. */
export async function deleteSecondFactor(tx: Handle, userId: string): Promise<boolean> {
  await tx.run(removeCodes, [userId]);
  return (await tx.run(remove, [userId])) === 1;
}

/** Puts new recovery codes in the place of all earlier ones. */
export async function replaceRecoveryCodes(tx: Handle, userId: string, hashes: Buffer[], now: Date): Promise<void> {
  await tx.run(removeCodes, [userId]);
  await tx.run(addCodes, [userId, hashes.map((one) => one.toString('hex')), now]);
}

/** Uses a recovery code up. @returns false when there is no such one, or it was used before. */
export async function useRecoveryCode(tx: Handle, userId: string, codeHash: Buffer, now: Date): Promise<boolean> {
  return (await tx.run(useCode, [userId, codeHash, now])) === 1;
}

export async function countRecoveryCodes(db: Handle, userId: string): Promise<number> {
  return (await db.maybeOne<{ count: number }>(countCodes, [userId]))!.count;
}
