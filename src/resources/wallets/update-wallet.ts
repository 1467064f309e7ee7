import { Type } from 'typebox';
import { changeWallet } from '../../flows/change-wallet.ts';
import { inputObject, nameInput, optional } from '../../model/fields.ts';
import { positionInput } from '../../model/position.ts';
import { simulationInput } from '../../model/simulation.ts';
import { toWalletDetail, walletDetailSchema } from '../../model/wallet.ts';
import { json, operation } from '../../operation/operation.ts';
import { maxPaymentInput, takesPreimagesInput } from './wallet-input.ts';

const body = inputObject({
  wallet: inputObject({
    name: Type.Optional(nameInput('As it stands in lists')),
    position: optional(positionInput),
    enabled: optional(Type.Boolean({ description: 'false: no new invoices; open ones stay watched' })),
    max_payment_sats: maxPaymentInput,
    takes_preimages: takesPreimagesInput,
    simulation: optional(simulationInput),
  }),
});

export const updateWallet = operation({
  name: 'update_wallet',
  summary: 'Change a wallet',
  description: 'Members that are left out stay as they are. To change a credential, connect the wallet anew.',
  method: 'PATCH',
  path: '/api/v1/m/wallets/{id}',
  access: { permission: 'wallets:write' },
  params: { id: 'Wallet' },
  body,
  answer: json(walletDetailSchema),
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params, body: { wallet: sent } }) {
    return toWalletDetail(await changeWallet(call.db, call.scope, params.id!, sent, call.now));
  },
});
