import { showMerchant } from '../../flows/show-merchant.ts';
import { merchantSchema } from '../../model/merchant.ts';
import { json, operation } from '../../operation/operation.ts';

export const getMerchant = operation({
  name: 'get_merchant',
  summary: 'Show the merchant this key belongs to',
  method: 'GET',
  path: '/api/v1/m/merchant',
  access: { permission: 'merchant:read' },
  answer: json(merchantSchema),
  tool: {
    description:
      'See whose till this is: name, currency, time zone, wallets and settings. Call it first when you do ' +
      'not know the currency.',
  },
  run: (call) => showMerchant(call.db, call.scope),
});
