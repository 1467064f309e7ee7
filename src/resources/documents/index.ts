import { getMerchantDocument } from './get-merchant-document.ts';
import { listMerchantDocuments } from './list-merchant-documents.ts';

export const documentOperations = [listMerchantDocuments, getMerchantDocument];
