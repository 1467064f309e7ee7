/** RFC 6238 as all authenticator apps have it: six digits of HMAC-SHA1, new every half minute. */
export const totpDigits = 6;
export const totpStepSeconds = 30;
/** Codes of the step before and after count too: clocks are not quite the same, and people type slowly. */
export const totpToleranceSteps = 1;
/** An app has to be confirmed within this time after it was shown the secret. */
export const setUpSeconds = 600;
export const recoveryCodeCount = 10;

export interface SecondFactorRow {
  user_id: string;
  /** Sealed. */
  secret: Buffer;
  confirmed_at: Date | null;
  last_step: number | null;
  created_at: Date;
}

/** How somebody's account stands. */
export interface SecondFactorStatus {
  isOn: boolean;
  /** Recovery codes that were not used yet. */
  recoveryCodesLeft: number;
}
