import { getRates } from './get-rates.ts';

export const rateOperations = [getRates];
