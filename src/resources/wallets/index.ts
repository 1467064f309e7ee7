import { getWallet } from './get-wallet.ts';
import { listWallets } from './list-wallets.ts';

export const walletOperations = [listWallets, getWallet];
