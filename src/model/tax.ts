import { type Static, Type } from 'typebox';
import { livemode, objectName, timestamp, uuid } from './fields.ts';
import { trimmedPercent } from './percent.ts';

export interface TaxRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  name: string;
  /** Percent. */
  rate: string;
  inclusive: boolean;
  enabled: boolean;
  created_at: Date;
  updated_at: Date;
}

/** What an answer shows of it. */
export type ShownTax = Omit<TaxRow, 'merchant_id'>;

export const taxSchema = Type.Object(
  {
    object: objectName('tax'),
    livemode,
    id: uuid('Tax'),
    name: Type.String(),
    rate: Type.String({ description: 'Percent, a decimal string' }),
    inclusive: Type.Boolean({ description: 'Whether prices already hold it' }),
    enabled: Type.Boolean(),
    created_at: timestamp('When the tax was made'),
    updated_at: timestamp('When the tax last changed'),
  },
  { description: 'A tax, which product types name' },
);
export type Tax = Static<typeof taxSchema>;

export function toTax(row: ShownTax): Tax {
  return {
    object: 'tax',
    livemode: row.livemode,
    id: row.id,
    name: row.name,
    rate: trimmedPercent(row.rate),
    inclusive: row.inclusive,
    enabled: row.enabled,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
