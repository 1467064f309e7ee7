import type { Scope } from '../kernel/context.ts';
import { notFound } from '../kernel/errors.ts';
import { isUuid } from '../kernel/ids.ts';
import { findMerchantDocumentContent } from '../store/merchant-documents.ts';
import type { Parts } from './parts.ts';

/** A document with its content. @throws {AppError} 404 */
export async function readDocument({ db }: Parts, scope: Scope, id: string) {
  const found = isUuid(id) ? await findMerchantDocumentContent(db, scope, id.toLowerCase()) : undefined;
  if (!found) throw notFound('Document');
  return { name: found.name, contentType: found.content_type, content: found.content };
}
