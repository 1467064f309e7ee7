import { Type } from 'typebox';
import { openMediaKey } from '../../flows/media-keys.ts';
import { verifyAccess } from '../../flows/verify-access.ts';
import { AppError } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { takeDelivery } from '../../limits/delivery-limit.ts';
import { inputObject, nullable, optional, textInput } from '../../model/fields.ts';
import { json, operation } from '../../operation/operation.ts';
import { findLinkedMediaKey } from '../../store/media-keys.ts';
import { accessTokenInput, readAccessToken } from './access-token-input.ts';

const answer = Type.Object({
  valid: Type.Boolean({ description: 'Always true: a dead token answers 402' }),
  remaining_seconds: Type.Integer({ minimum: 1 }),
  server_time: Type.Integer({ description: 'Epoch seconds' }),
  expires_at: Type.Integer({ description: 'Epoch seconds: server_time and remaining_seconds together' }),
  product_id: nullable(Type.String()),
  order_id: nullable(Type.String()),
  media_key_id: nullable(Type.String()),
  key: Type.Optional(Type.String({ description: 'Only when media_key_id names a key that is linked to the product' })),
  key_fingerprint: Type.Optional(Type.String()),
});

export const verifyAccessToken = operation({
  name: 'verify_access_token',
  summary: 'Check a paid-access token, and get the key it opens',
  description:
    '402 is the only sign of a dead token: tampered with, over, of another merchant or mode, refunded. A token from before tokens named products gets 402 as well when it asks for a key. How often an hour an order’s key is handed out follows from the plan: 429 beyond.',
  method: 'POST',
  path: '/api/v1/m/access/verify',
  access: { permission: 'media_keys:read', whileInactive: true },
  body: inputObject({
    access_token: accessTokenInput,
    media_key_id: optional(textInput(64, 'The key to hand out, if it is linked to the token’s product')),
  }),
  answer: json(answer),
  fails: ['bad_request', 'payment_required', 'rate_limited'],
  tool: {
    description:
      'Check whether a customer’s paid-access token is still good, what it opens and for how long. One that is no longer ' +
      'good answers payment_required.',
    // There is no header to send it in.
    required: ['access_token'],
  },
  async run(call, input) {
    const access = await verifyAccess(call.parts, call.scope, readAccessToken(input), call.now);
    const serverTime = Math.floor(call.now.getTime() / 1000);
    const shown = {
      valid: true,
      remaining_seconds: access.remainingSeconds,
      server_time: serverTime,
      expires_at: serverTime + access.remainingSeconds,
      product_id: access.productId,
      order_id: access.orderId,
      media_key_id: null as string | null,
    };
    const wanted = input.body.media_key_id;
    if (!wanted) return shown;
    if (access.productId === null) {
      throw new AppError(
        'payment_required',
        'This token is of the first kind, which names no product; it opens no key',
      );
    }
    const linked = isUuid(wanted)
      ? await findLinkedMediaKey(call.db, call.scope, wanted.toLowerCase(), access.productId)
      : undefined;
    if (!linked) return shown;
    takeDelivery(call.parts.rateLimiter, call.caller, access.orderId!, call.now);
    const { id, key, key_fingerprint } = openMediaKey(call.parts.sealer, linked);
    return { ...shown, media_key_id: id, key, key_fingerprint };
  },
});
