import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import { readDocument } from '../../flows/read-document.ts';
import { getMerchantDocument } from '../../resources/documents/get-merchant-document.ts';
import { admit } from './admit.ts';
import { refuseOtherMethods } from './refuse-methods.ts';

type Request = FastifyRequest<{ Params: { id: string } }>;

const path = '/api/v1/m/documents/:id/content';

/** The content of a merchant's document. Always an attachment: what is inside never runs as a page of ours. */
export function addDocumentRoute(server: FastifyInstance, parts: Parts): void {
  server.get(path, {
    async onRequest(request, reply) {
      request.operation = 'get_merchant_document_content';
      await admit(parts, getMerchantDocument, request, reply);
    },
    async handler(request: Request, reply) {
      const { name, contentType, content } = await readDocument(parts, request.caller!, request.params.id);
      return reply
        .header('content-disposition', `attachment; filename*=UTF-8''${extendedValue(name)}`)
        .header('x-content-type-options', 'nosniff')
        .header('cache-control', 'no-store')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .type(contentType)
        .send(content);
    },
  });
  refuseOtherMethods(server, path, new Set(['GET', 'HEAD']));
}

/** RFC 8187, section 3.2.1: four characters that a URI may have are none of its own. */
function extendedValue(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
