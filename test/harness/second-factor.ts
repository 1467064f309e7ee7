import { Secret, TOTP } from 'otpauth';
import type { TestApp } from './app.ts';
import type { Visitor } from './visitor.ts';

/** What the app of a second factor shows, so many steps from now. @param secret base32 */
export function codeOf(app: TestApp, secret: string, stepsAhead = 0): string {
  const timestamp = app.clock.now().getTime() + stepsAhead * 30_000;
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp });
}

/** Sets a second factor up for who is signed in, as the pages do; the code of the present step is used up. */
export async function turnOnSecondFactor(
  app: TestApp,
  visitor: Visitor,
  password: string,
): Promise<{ secret: string; recoveryCodes: string[] }> {
  const page = '/account/second-factor';
  await visitor.submit(page, { password });
  const secret = secretIn((await visitor.get(page)).html);
  const { html } = await visitor.submit(`${page}/confirm`, { code: codeOf(app, secret) });
  return { secret, recoveryCodes: recoveryCodesIn(html) };
}

/** The secret that a page shows for typing. */
export function secretIn(html: string): string {
  const shown = /<bdi dir="ltr">([A-Z2-7 ]{39})<\/bdi>/.exec(html)?.[1];
  if (!shown) throw new Error('The page shows no secret');
  return shown.replaceAll(' ', '');
}

export function recoveryCodesIn(html: string): string[] {
  return [...html.matchAll(/>([a-z2-9]{4}(?:-[a-z2-9]{4}){3})</g)].map(([, code]) => code!);
}
