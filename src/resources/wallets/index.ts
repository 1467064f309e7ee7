import { createWallet } from './create-wallet.ts';
import { deleteWallet } from './delete-wallet.ts';
import { getWallet } from './get-wallet.ts';
import { listWallets } from './list-wallets.ts';
import { probeWallet } from './probe-wallet.ts';
import { updateWallet } from './update-wallet.ts';

export const walletOperations = [listWallets, createWallet, getWallet, updateWallet, deleteWallet, probeWallet];
