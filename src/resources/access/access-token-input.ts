import { Type } from 'typebox';
import { AppError } from '../../kernel/errors.ts';
import { optional } from '../../model/fields.ts';

// Without a longest length: one that is too long to be ours is as dead as any other, 402 and not 400.
export const accessTokenInput = optional(
  Type.String({ description: 'The token; over REST the header X-Access-Token may have it instead' }),
);

/** The header wins over the body. @throws {AppError} 400 when neither has one. */
export function readAccessToken(input: {
  accessToken: string | undefined;
  body: { access_token?: string | null };
}): string {
  const token = input.accessToken || input.body.access_token;
  if (!token) throw new AppError('bad_request', 'access_token is required');
  return token;
}
