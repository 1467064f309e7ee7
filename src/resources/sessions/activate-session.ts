import { Type } from 'typebox';
import { giveDeviceKey } from '../../flows/sign-in.ts';
import { notFound } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { inputObject, optional, textInput } from '../../model/fields.ts';
import { deviceKeySchema } from '../../model/user.ts';
import { json, publicOperation } from '../../operation/operation.ts';

export const activateSession = publicOperation({
  name: 'activate_session',
  summary: 'Get the API key of a device for one merchant',
  description:
    'What it may do follows from the role there. Activating the same device again replaces its key; one that nobody used for 30 days is gone.',
  method: 'POST',
  path: '/api/v1/m/sessions/activate',
  body: inputObject({
    session_token: Type.String({ minLength: 1, maxLength: 200, description: 'From the sign-in' }),
    merchant_id: Type.String({ minLength: 1, maxLength: 64, description: 'One of the merchants of the sign-in' }),
    device_name: optional(textInput(100, 'What the device is called; POS without it')),
    livemode: optional(Type.Boolean({ description: 'false for a key of test mode' })),
  }),
  answer: json(deviceKeySchema),
  fails: ['bad_request', 'invalid_token', 'forbidden', 'not_found'],
  tool: false,
  async run(call, { body }) {
    // Looked at first: a stranger learns nothing of merchants.
    const merchantId = isUuid(body.merchant_id) ? body.merchant_id.toLowerCase() : undefined;
    const { key, membership } = await giveDeviceKey(call.parts, {
      sessionToken: body.session_token,
      merchantId: merchantId ?? '',
      deviceName: body.device_name?.trim() || 'POS',
      livemode: body.livemode ?? true,
      requestId: call.requestId,
    }).catch((error) => {
      if (merchantId === undefined && error?.code !== 'invalid_token') throw notFound('Merchant');
      throw error;
    });
    return {
      api_key: key,
      merchant: { id: membership.merchant_id, name: membership.name, currency: membership.currency },
    };
  },
});
