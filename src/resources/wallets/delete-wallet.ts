import { notFound } from '../../kernel/errors.ts';
import { empty, operation } from '../../operation/operation.ts';
import { markWalletDeleted } from '../../store/wallets.ts';

export const deleteWallet = operation({
  name: 'delete_wallet',
  summary: 'Disconnect a wallet',
  description:
    'It gets no new invoices and is gone from all lists. Its open invoices stay watched, and its credential is erased ' +
    'once none is left to look at.',
  method: 'DELETE',
  path: '/api/v1/m/wallets/{id}',
  status: 204,
  access: { permission: 'wallets:write' },
  params: { id: 'Wallet' },
  answer: empty,
  fails: ['not_found'],
  tool: false,
  idempotency: 'database',
  audit: true,
  async run(call, { params }) {
    if (!(await markWalletDeleted(call.db, call.scope, params.id!, call.now))) throw notFound('Wallet');
  },
});
