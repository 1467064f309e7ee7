import { notFound } from '../../kernel/errors.ts';
import { merchantDocumentSchema, toMerchantDocument } from '../../model/merchant-document.ts';
import { json, operation } from '../../operation/operation.ts';
import { findMerchantDocument } from '../../store/merchant-documents.ts';

export const getMerchantDocument = operation({
  name: 'get_merchant_document',
  summary: 'Show one of the merchant’s documents',
  method: 'GET',
  path: '/api/v1/m/documents/{id}',
  access: { permission: 'merchant:read' },
  params: { id: 'Document' },
  answer: json(merchantDocumentSchema),
  fails: ['not_found'],
  tool: {
    description: 'See one of the documents that the operator gave the merchant, and where to fetch it (url).',
    rename: { id: 'document_id' },
  },
  async run(call, { params }) {
    const row = await findMerchantDocument(call.db, call.scope, params.id!);
    if (!row) throw notFound('Document');
    return toMerchantDocument(row, call.parts.links.publicUrl);
  },
});
