import apiReference from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import type { Links } from '../../flows/parts.ts';
import type { Operation } from '../../operation/operation.ts';
import { openApiDocument } from './document.ts';

/** `/api/v1/openapi.json`, and a page at `/docs` that shows it; its script comes from the package, not another host. */
export async function addDocs(app: FastifyInstance, links: Links, operations: readonly Operation[]): Promise<void> {
  const openApiPath = '/api/v1/openapi.json';
  app.get(openApiPath, async () => openApiDocument(operations, links.publicUrl));
  await app.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      url: openApiPath,
      title: 'Satline API',
      withDefaultFonts: false,
      hideClientButton: true,
      telemetry: false,
    },
  });
}
