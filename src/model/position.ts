import { Type } from 'typebox';

const lastPosition = 1_000_000;

export const positionInput = Type.Integer({
  minimum: 0,
  maximum: lastPosition,
  description: 'Place in line, lowest first',
});

/** Behind the last that is taken; at the very end several may share a place, in the order they were made. */
export const nextPosition = (taken: number): number => Math.min(taken + 1, lastPosition);
