import { getMerchant } from './get-merchant.ts';

export const merchantOperations = [getMerchant];
