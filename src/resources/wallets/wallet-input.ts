import { Type } from 'typebox';
import { optional } from '../../model/fields.ts';
import { takesPreimagesText } from '../../model/wallet.ts';

export const maxPaymentInput = optional(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Largest payment to send to it, in satoshis; null: the wallet’s own limit',
  }),
);

export const takesPreimagesInput = optional(Type.Boolean({ description: takesPreimagesText }));
