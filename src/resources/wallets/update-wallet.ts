import { Type } from 'typebox';
import { invalid, notFound } from '../../kernel/errors.ts';
import { inputObject, nameInput, optional, positionInput } from '../../model/fields.ts';
import { toWalletDetail, walletDetailSchema } from '../../model/wallet.ts';
import { json, operation } from '../../operation/operation.ts';
import { findWallet, updateWallet as writeWallet } from '../../store/wallets.ts';
import { maxPaymentInput } from './wallet-input.ts';

const body = inputObject({
  wallet: inputObject({
    name: Type.Optional(nameInput('As it stands in lists')),
    position: optional(positionInput),
    enabled: optional(Type.Boolean({ description: 'false: no new invoices; open ones stay watched' })),
    max_payment_sats: maxPaymentInput,
    takes_preimages: optional(Type.Boolean({ description: 'Whether a payer may prove a payment with its preimage' })),
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
    const before = await findWallet(call.db, call.scope, params.id!);
    if (!before) throw notFound('Wallet');
    const largest = sent.max_payment_sats === undefined ? before.max_payment_sats : sent.max_payment_sats;
    if (largest !== null && sent.max_payment_sats !== undefined && largest < before.min_sats) {
      throw invalid(`max_payment_sats is below the ${before.min_sats} sats that this wallet takes at least`);
    }
    const change = {
      name: sent.name ?? before.name,
      position: sent.position ?? before.position,
      enabled: sent.enabled ?? before.enabled,
      max_payment_sats: largest,
      takes_preimages: sent.takes_preimages ?? before.takes_preimages,
    };
    await writeWallet(call.db, call.scope, before.id, change, call.now);
    return toWalletDetail((await findWallet(call.db, call.scope, before.id))!);
  },
});
