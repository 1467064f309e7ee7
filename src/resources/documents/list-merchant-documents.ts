import { text, timestamp } from '../../kernel/filters.ts';
import { merchantDocumentSchema, toMerchantDocument } from '../../model/merchant-document.ts';
import { listOf, operation } from '../../operation/operation.ts';
import { listMerchantDocuments as list } from '../../store/merchant-documents.ts';

export const listMerchantDocuments = operation({
  name: 'list_merchant_documents',
  summary: 'List the merchant’s documents, newest first',
  description: 'They are put there by the operator (`satline document add`).',
  method: 'GET',
  path: '/api/v1/m/documents',
  access: { permission: 'merchant:read' },
  query: { paged: true, filters: { name: text, kind: text, created_at: timestamp } },
  answer: listOf(merchantDocumentSchema),
  tool: { description: 'List documents the operator gave the merchant, such as contracts and reports.' },
  async run(call, { page, filters }) {
    const { rows, totalCount } = await list(call.db, call.scope, page, filters);
    const { publicUrl } = call.parts.links;
    return { page, result: { rows: rows.map((row) => toMerchantDocument(row, publicUrl)), totalCount } };
  },
});
