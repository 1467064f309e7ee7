import { Type } from 'typebox';
import { verifyAccess } from '../../flows/verify-access.ts';
import { AppError } from '../../kernel/errors.ts';
import { inputObject } from '../../model/fields.ts';
import { json, operation } from '../../operation/operation.ts';
import { findMerchant } from '../../store/merchants.ts';
import { accessTokenInput, readAccessToken } from './access-token-input.ts';

const answer = Type.Object({
  valid: Type.Boolean({ description: 'Always true: a dead token answers 402' }),
  remaining_seconds: Type.Integer({ minimum: 1 }),
  resource_id: Type.String({ description: 'What the token opens: the product’s id' }),
  resource_type: Type.String(),
});

export const verifyPublicAccessToken = operation({
  name: 'verify_public_access_token',
  summary: 'Check a paid-access token from a web page',
  description:
    'The token comes in the body or in the header X-Access-Token, which wins. A product one of whose media keys has browser_delivery false is refused to web pages (403): ask from your server.',
  method: 'POST',
  path: '/api/v1/pub/access/verify',
  access: { permission: undefined, publishable: true, whileInactive: true },
  body: inputObject({ access_token: accessTokenInput }),
  answer: json(answer),
  fails: ['bad_request', 'payment_required', 'forbidden'],
  tool: false,
  async run(call, input) {
    const merchant = (await findMerchant(call.db, call.scope.merchantId))!;
    if (!merchant.privapaid_enabled) throw new AppError('forbidden', 'This merchant does not sell paid access');
    const access = await verifyAccess(call.parts, call.scope, readAccessToken(input), call.now);
    if (input.fromBrowser && !access.browserDelivery) {
      throw new AppError('forbidden', 'A media key of this product is not for browsers; verify from your server');
    }
    return {
      valid: true,
      remaining_seconds: access.remainingSeconds,
      resource_id: access.resourceId,
      resource_type: access.resourceType,
    };
  },
});
