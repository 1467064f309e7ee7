import { probeWallet as askWallet } from '../../flows/probe-wallet.ts';
import { notFound } from '../../kernel/errors.ts';
import { toWalletDetail, walletDetailSchema } from '../../model/wallet.ts';
import { json, operation } from '../../operation/operation.ts';
import { findWallet } from '../../store/wallets.ts';
import { probeLeaseSeconds } from '../../wallets/runtime.ts';

export const probeWallet = operation({
  name: 'probe_wallet',
  summary: 'Ask a wallet again what it can do',
  description: 'Saves its limits and how settlement is seen. A wallet that was paused after failing is back at once.',
  method: 'POST',
  path: '/api/v1/m/wallets/{id}/probe',
  access: { permission: 'wallets:write' },
  params: { id: 'Wallet' },
  answer: json(walletDetailSchema),
  fails: ['not_found', 'wallet_unavailable'],
  tool: false,
  idempotency: 'wallet',
  steps: {
    leaseSeconds: probeLeaseSeconds,
    async prepare(call, { params }) {
      if (!(await findWallet(call.db, call.scope, params.id!))) throw notFound('Wallet');
      return { walletId: params.id! };
    },
    async ask(call, { walletId }) {
      const wallet = await findWallet(call.parts.db, call.scope, walletId);
      if (!wallet) throw notFound('Wallet');
      await askWallet(call.parts, wallet, call.signal);
    },
    async commit(call, { walletId }) {
      const wallet = await findWallet(call.db, call.scope, walletId);
      if (!wallet) throw notFound('Wallet');
      return toWalletDetail(wallet);
    },
  },
});
