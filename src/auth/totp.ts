import { Secret, TOTP } from 'otpauth';
import { totpDigits, totpStepSeconds, totpToleranceSteps } from '../model/second-factor.ts';

/** As long as the hash's output, which RFC 4226 (4, R6) recommends. */
const secretBytes = 20;
const settings = { algorithm: 'SHA1', digits: totpDigits, period: totpStepSeconds } as const;

/** @returns in base32, as people type it into an app. */
export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** The address that an app reads from a QR code. @param issuer who asks for the code, as the app shows it */
export function totpAddress(secret: string, issuer: string, account: string): string {
  return new TOTP({ ...settings, secret: Secret.fromBase32(secret), issuer, label: account }).toString();
}

/** The time step that a code belongs to, among those that count now; undefined when it belongs to none. */
export function stepOfCode(secret: string, code: string, now: Date): number | undefined {
  const totp = new TOTP({ ...settings, secret: Secret.fromBase32(secret) });
  const delta = totp.validate({ token: code, timestamp: now.getTime(), window: totpToleranceSteps });
  return delta === null ? undefined : totp.counter({ timestamp: now.getTime() }) + delta;
}
