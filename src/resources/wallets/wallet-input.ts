import { Type } from 'typebox';
import { optional } from '../../model/fields.ts';

export const maxPaymentInput = optional(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Largest payment to send to it, in satoshis; null: the wallet’s own limit',
  }),
);
