import { hashRecoveryCode, newRecoveryCode } from '../auth/recovery-code.ts';
import { newTotpSecret, stepOfCode, totpAddress } from '../auth/totp.ts';
import type { Transaction } from '../db/database.ts';
import { addSeconds } from '../kernel/clock.ts';
import { AppError } from '../kernel/errors.ts';
import {
  recoveryCodeCount,
  type SecondFactorRow,
  type SecondFactorStatus,
  setUpSeconds,
} from '../model/second-factor.ts';
import type { UserRow } from '../model/user.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  countRecoveryCodes,
  deleteSecondFactor,
  findSecondFactor,
  replaceRecoveryCodes,
} from '../store/second-factors.ts';
import { isSessionOpen, revokeOtherSessions } from '../store/user-sessions.ts';
import { lockUser } from '../store/users.ts';
import type { SignedIn } from './browser-sign-in.ts';
import { checkCredentials, type TrySource, takeTry } from './check-credentials.ts';
import { holdAccount } from './hold-account.ts';
import type { Parts } from './parts.ts';
import { type Letter, queueLetter } from './queue-mail.ts';
import { recordAccountAudit } from './record-audit.ts';
import { openTotpSecret, sealTotpSecret } from './spend-code.ts';

/** What somebody types to change their second factor: a stolen cookie alone changes nothing. */
export interface Proof extends TrySource {
  password: string;
  /** Of the app, or a recovery code. */
  code: string;
}

/** An app that is being set up. */
export interface SetUp {
  /** Base32. */
  secret: string;
  /** The same as an app reads it from a QR code. */
  address: string;
}

const isOnAlready = () => new AppError('conflict', 'Two-factor sign-in is on already; turn it off first');

/** Whether somebody has a second factor, and how many recovery codes are left. */
export async function readSecondFactor({ db }: Parts, userId: string): Promise<SecondFactorStatus> {
  const row = await findSecondFactor(db, userId);
  return { isOn: row?.confirmed_at != null, recoveryCodesLeft: await countRecoveryCodes(db, userId) };
}

/**
 * Makes the secret for an app. It counts for nothing until a code proves that the app has it.
 * @throws {AppError} as `checkCredentials()` and `holdAccount()`; 409 when there is one that is on.
 */
export async function beginSetUp(parts: Parts, { user }: SignedIn, proof: Omit<Proof, 'code'>): Promise<void> {
  const checked = await checkCredentials(parts, { ...proof, email: user.email, code: undefined });
  const sealed = sealTotpSecret(parts.sealer, user.id, newTotpSecret());
  await parts.db.transaction(async (tx) => {
    await holdAccount(tx, checked);
    if (!(await beginSecondFactor(tx, user.id, sealed, parts.clock.now()))) throw isOnAlready();
  });
}

/** The app that somebody is setting up now; undefined when none is, or it took too long. */
export async function readSetUp(parts: Parts, { user }: SignedIn): Promise<SetUp | undefined> {
  const row = await findSetUp(parts, user.id);
  if (!row) return undefined;
  const secret = openTotpSecret(parts.sealer, row);
  const issuer = `Satline ${new URL(parts.links.publicUrl).hostname}`;
  return { secret, address: totpAddress(secret, issuer, user.email) };
}

/**
 * Turns the second factor on with a code of the new app. Whoever else is signed in as this person has shown a password
 * only, so all other sign-ins end.
 * @param letter what the owner is told, where mails are sent.
 * @returns recovery codes, shown this once.
 * @throws {AppError} 401 for a wrong code, 409 when nothing is being set up, 429 after too many tries.
 */
export async function confirmSetUp(
  parts: Parts,
  { user, sessionId }: SignedIn,
  { code, ...source }: TrySource & { code: string },
  letter: Letter,
): Promise<string[]> {
  await takeTry(parts, user.email, source);
  const row = await findSetUp(parts, user.id);
  if (!row) throw new AppError('conflict', 'No app is being set up; begin again');
  const now = parts.clock.now();
  const step = stepOfCode(openTotpSecret(parts.sealer, row), code.replace(/\s/g, ''), now);
  if (step === undefined) throw new AppError('invalid_token', 'The code is not the one that the app shows now');
  const codes = await parts.db.transaction(async (tx) => {
    // Whoever signs in with the password alone now is out with the others, or is asked for a code.
    await lockUser(tx, user.id);
    if (!(await isSessionOpen(tx, sessionId, now))) {
      throw new AppError('invalid_token', 'You were signed out meanwhile; sign in again');
    }
    if (!(await confirmSecondFactor(tx, row, step, now))) throw isOnAlready();
    await revokeOtherSessions(tx, user.id, sessionId, now);
    const given = await giveRecoveryCodes(tx, user.id, now);
    await queueLetter(tx, parts, { to: user.email, letter }, now);
    await recordAccountAudit(tx, { userId: user.id, action: 'turn_on_second_factor', by: source, now });
    return given;
  });
  await parts.signInTries.byAccount.forget(user.email.toLowerCase());
  return codes;
}

/** New recovery codes in the place of all earlier ones. @throws {AppError} as `checkCredentials()` and `holdAccount()`. */
export async function renewRecoveryCodes(parts: Parts, { user }: SignedIn, proof: Proof): Promise<string[]> {
  const checked = await checkProof(parts, user.email, proof);
  const now = parts.clock.now();
  return parts.db.transaction(async (tx) => {
    await holdAccount(tx, checked);
    const codes = await giveRecoveryCodes(tx, user.id, now);
    await recordAccountAudit(tx, { userId: user.id, action: 'renew_recovery_codes', by: proof, now });
    return codes;
  });
}

/**
 * From now on the password is enough.
 * @param letter what the owner is told, where mails are sent.
 * @throws {AppError} as `checkCredentials()` and `holdAccount()`.
 */
export async function turnOffSecondFactor(
  parts: Parts,
  { user }: SignedIn,
  proof: Proof,
  letter: Letter,
): Promise<void> {
  const checked = await checkProof(parts, user.email, proof);
  const now = parts.clock.now();
  await parts.db.transaction(async (tx) => {
    await holdAccount(tx, checked);
    await removeSecondFactor(tx, parts, { user, action: 'turn_off_second_factor', by: proof, letter, now });
  });
}

/** What an operator does for somebody who has lost app and recovery codes. @returns false when there was nothing to do. */
export function resetSecondFactor(
  tx: Transaction,
  parts: Pick<Parts, 'mailer' | 'sealer'>,
  user: Pick<UserRow, 'id' | 'email'>,
  letter: Letter,
  now: Date,
): Promise<boolean> {
  return removeSecondFactor(tx, parts, { user, action: 'reset_second_factor', letter, now });
}

async function removeSecondFactor(
  tx: Transaction,
  parts: Pick<Parts, 'mailer' | 'sealer'>,
  removal: {
    user: Pick<UserRow, 'id' | 'email'>;
    action: string;
    by?: Pick<TrySource, 'requestId'>;
    letter: Letter;
    now: Date;
  },
): Promise<boolean> {
  const { user, action, by, letter, now } = removal;
  if (!(await deleteSecondFactor(tx, user.id))) return false;
  await queueLetter(tx, parts, { to: user.email, letter }, now);
  await recordAccountAudit(tx, { userId: user.id, action, ...(by ? { by } : {}), now });
  return true;
}

async function checkProof(parts: Parts, email: string, proof: Proof): Promise<UserRow> {
  const user = await checkCredentials(parts, { ...proof, email });
  if (!user.has_second_factor) throw new AppError('conflict', 'Two-factor sign-in is off');
  return user;
}

async function findSetUp({ db, clock }: Parts, userId: string): Promise<SecondFactorRow | undefined> {
  const row = await findSecondFactor(db, userId);
  return row && row.confirmed_at === null && row.created_at > addSeconds(clock.now(), -setUpSeconds) ? row : undefined;
}

async function giveRecoveryCodes(tx: Transaction, userId: string, now: Date): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
  await replaceRecoveryCodes(
    tx,
    userId,
    codes.map((code) => hashRecoveryCode(code)!),
    now,
  );
  return codes;
}
