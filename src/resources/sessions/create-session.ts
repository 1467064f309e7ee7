import { Type } from 'typebox';
import { signIn } from '../../flows/sign-in.ts';
import { inputObject, optional } from '../../model/fields.ts';
import { signInSchema } from '../../model/user.ts';
import { json, publicOperation } from '../../operation/operation.ts';

export const createSession = publicOperation({
  name: 'create_session',
  summary: 'Sign in with e-mail address and password',
  description:
    'An unknown address and a wrong password look alike. A locked account says so only to who knows the password. An account with a second factor needs a code beside them.',
  method: 'POST',
  path: '/api/v1/m/sessions',
  body: inputObject({
    email: Type.String({ minLength: 1, maxLength: 254, description: 'E-mail address' }),
    password: Type.String({ minLength: 1, maxLength: 1000, description: 'Password' }),
    otp: optional(
      Type.String({
        maxLength: 100,
        description: 'Code of the second factor, or a recovery code, where the account has one',
      }),
    ),
  }),
  answer: json(signInSchema),
  fails: ['bad_request', 'invalid_token', 'locked', 'rate_limited'],
  tool: false,
  async run(call, { body }) {
    const { email, password, otp } = body;
    const { token, memberships } = await signIn(call.parts, {
      email,
      password,
      code: otp ?? undefined,
      address: call.address ?? '',
      requestId: call.requestId,
    });
    return {
      session_token: token,
      merchants: memberships.map(({ merchant_id: id, name, logo_url, currency, role }) => ({
        id,
        name,
        logo_url,
        currency,
        role,
      })),
    };
  },
});
