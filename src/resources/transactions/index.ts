import { listTransactions } from './list-transactions.ts';

export const transactionOperations = [listTransactions];
