import { merchantSchema, toMerchant } from '../../model/merchant.ts';
import { json, operation } from '../../operation/operation.ts';
import { findMerchant } from '../../store/merchants.ts';
import { listMerchantWallets } from '../../store/wallets.ts';

export const getMerchant = operation({
  name: 'get_merchant',
  summary: 'Show the merchant this key belongs to',
  method: 'GET',
  path: '/api/v1/m/merchant',
  access: { permission: 'merchant:read' },
  answer: json(merchantSchema),
  tool: {},
  async run(call) {
    const [merchant, wallets] = await Promise.all([
      findMerchant(call.db, call.scope.merchantId),
      listMerchantWallets(call.db, call.scope),
    ]);
    return toMerchant(merchant!, call.scope.livemode, wallets);
  },
});
