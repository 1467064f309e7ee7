import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Links } from '../../flows/parts.ts';
import type { Operation } from '../../operation/operation.ts';
import { openApiDocument } from './document.ts';

const openApiPath = '/api/v1/openapi.json';
const scriptPath = '/docs/scalar.js';

/**
 * The document, and a page at `/docs` that shows it; its script comes from the package, not another host. The package's
 * own plugin would load ninety modules and keep 3 MB for a page that is hardly ever open.
 */
export function addDocs(app: FastifyInstance, links: Links, operations: readonly Operation[]): void {
  const packageFile = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  const script = join(dirname(packageFile), 'js', 'standalone.js');
  app.get(openApiPath, async () => openApiDocument(operations, links.publicUrl));
  app.get('/docs', (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
  app.get(scriptPath, (_request, reply) => reply.type('text/javascript; charset=utf-8').send(createReadStream(script)));
}

const settings = { url: openApiPath, withDefaultFonts: false, hideClientButton: true, telemetry: false };
const page = `<!doctype html>
<html lang="en">
  <head>
    <title>Satline API</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </head>
  <body>
    <div id="app"></div>
    <script src="${scriptPath}"></script>
    <script>Scalar.createApiReference('#app', ${JSON.stringify(settings)})</script>
  </body>
</html>
`;
