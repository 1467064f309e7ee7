import { Type } from 'typebox';
import { saveWallet, type TriedWallet, tryWallet } from '../../flows/connect-wallet.ts';
import { inputObject, nameInput, optional, textInput } from '../../model/fields.ts';
import { toWalletDetail, walletDetailSchema } from '../../model/wallet.ts';
import { json, operation } from '../../operation/operation.ts';
import { probeLeaseSeconds } from '../../wallets/runtime.ts';
import { maxPaymentInput, takesPreimagesInput } from './wallet-input.ts';

const body = inputObject({
  wallet: inputObject({
    connection: textInput(
      8192,
      'What the wallet shows for connecting: a lightning address, nostr+walletconnect or lndconnect link, server address',
    ),
    key: optional(textInput(4096, 'The secret, for an address that holds none')),
    name: optional(nameInput('As it stands in lists')),
    max_payment_sats: maxPaymentInput,
    takes_preimages: takesPreimagesInput,
    accept_spend_risk: optional(Type.Boolean({ description: 'Save a credential that could spend' })),
    save_unseen: optional(
      Type.Boolean({ description: 'Save a wallet that cannot tell when it was paid; it takes no payments' }),
    ),
  }),
});

export const createWallet = operation({
  name: 'create_wallet',
  summary: 'Connect a wallet',
  description:
    'It is asked for an invoice first, and saved when that is good, its settlement can be seen, and the credential ' +
    'cannot spend. Credentials are sealed and never answered.',
  method: 'POST',
  path: '/api/v1/m/wallets',
  status: 201,
  access: { permission: 'wallets:write' },
  body,
  answer: json(walletDetailSchema),
  fails: ['conflict', 'wallet_unavailable'],
  tool: false,
  idempotency: 'wallet',
  audit: true,
  steps: {
    leaseSeconds: probeLeaseSeconds,
    async prepare(_call, input) {
      return { wallet: input.body.wallet };
    },
    async ask(call, { wallet }): Promise<TriedWallet> {
      const request = {
        connection: wallet.connection,
        key: wallet.key ?? undefined,
        name: wallet.name ?? undefined,
        maxPaymentSats: wallet.max_payment_sats,
        takesPreimages: wallet.takes_preimages ?? false,
        acceptSpendRisk: wallet.accept_spend_risk ?? false,
        saveUnseen: wallet.save_unseen ?? false,
      };
      return tryWallet(call.parts, call.scope, request, call.signal);
    },
    async commit(call, _frozen, tried) {
      return toWalletDetail(await saveWallet(call.db, call.parts, call.scope, tried));
    },
  },
});
