import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import { readDocument } from '../../flows/read-document.ts';
import { checkAccess } from '../../operation/access.ts';
import { getMerchantDocument } from '../../resources/documents/get-merchant-document.ts';

type Request = FastifyRequest<{ Params: { id: string } }>;

/** The content of a merchant's paper. Always an attachment: what is inside never runs as a page of ours. */
export function addDocumentRoute(server: FastifyInstance, parts: Parts): void {
  server.get('/api/v1/m/documents/:id/content', async (request: Request, reply) => {
    request.operation = 'get_merchant_document_content';
    const sent = await parts.authenticator.authenticate(request.headers.authorization, request.ip);
    const caller = checkAccess(getMerchantDocument, sent);
    request.credentialId = caller.credentialId;
    const { name, contentType, content } = await readDocument(parts, caller, request.params.id);
    return reply
      .header('content-disposition', `attachment; filename*=UTF-8''${encodeURIComponent(name)}`)
      .header('x-content-type-options', 'nosniff')
      .header('cache-control', 'no-store')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .type(contentType)
      .send(content);
  });
}
