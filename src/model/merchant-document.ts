import { type Static, Type } from 'typebox';
import { livemode, objectName, timestamp, uuid } from './fields.ts';

/** A document the operator gave a merchant, without its content. */
export interface MerchantDocumentRow {
  id: string;
  livemode: boolean;
  name: string;
  kind: string;
  content_type: string;
  size_bytes: number;
  created_at: Date;
}

/** The largest file that is taken; they lie in the database. */
export const largestDocumentBytes = 10 * 1024 * 1024;

export const merchantDocumentSchema = Type.Object(
  {
    object: objectName('merchant_document'),
    livemode,
    id: uuid('Document'),
    name: Type.String(),
    kind: Type.String({ description: 'Such as invoice, contract or report' }),
    content_type: Type.String(),
    size_bytes: Type.Integer(),
    url: Type.String({ description: 'Its content, for the same key; always sent as an attachment' }),
    created_at: timestamp('When it was put there'),
  },
  { description: 'A document for the merchant' },
);
type MerchantDocument = Static<typeof merchantDocumentSchema>;

export function toMerchantDocument(row: MerchantDocumentRow, publicUrl: string): MerchantDocument {
  return {
    object: 'merchant_document',
    livemode: row.livemode,
    id: row.id,
    name: row.name,
    kind: row.kind,
    content_type: row.content_type,
    size_bytes: row.size_bytes,
    url: `${publicUrl}/api/v1/m/documents/${row.id}/content`,
    created_at: row.created_at.toISOString(),
  };
}
