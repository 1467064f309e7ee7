import { removal } from '../../operation/removal.ts';
import { markWalletDeleted } from '../../store/wallets.ts';

export const deleteWallet = removal({
  name: 'delete_wallet',
  summary: 'Disconnect a wallet',
  description:
    'It gets no new invoices and is gone from all lists. Its open invoices stay watched, and its credential is erased ' +
    'some minutes later, once none is left to look at.',
  path: '/api/v1/m/wallets/{id}',
  resource: 'Wallet',
  permission: 'wallets:write',
  audit: true,
  remove: ({ db, scope, now }, id) => markWalletDeleted(db, scope, id, now),
});
