import { createHash } from 'node:crypto';
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
 * The document, and a page at `/docs` that shows it, where who opens the bare address ends too. Its script comes from the
 * package, not another host. The package's own plugin would load ninety modules and keep 3 MB for a page that is hardly
 * ever open.
 */
export function addDocs(app: FastifyInstance, links: Links, operations: readonly Operation[]): void {
  const packageFile = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
  const script = join(dirname(packageFile), 'js', 'standalone.js');
  app.get(openApiPath, async () => openApiDocument(operations, links.publicUrl));
  app.get('/', (_request, reply) => reply.redirect('/docs'));
  app.get('/docs', (_request, reply) => reply.headers(pageHeaders).send(page));
  app.get(scriptPath, (_request, reply) => reply.headers(scriptHeaders).send(createReadStream(script)));
}

const settings = {
  url: openApiPath,
  withDefaultFonts: false,
  hideClientButton: true,
  telemetry: false,
  // Its buttons would send the document to the makers of the page.
  showDeveloperTools: 'never',
};
const begin = `Scalar.createApiReference('#app', ${JSON.stringify(settings)})`;
const page = `<!doctype html>
<html lang="en">
  <head>
    <title>Satline API</title>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="app"></div>
    <script src="${scriptPath}"></script>
    <script>${begin}</script>
  </body>
</html>
`;

// People try calls here with their keys: nothing of the page may talk to anybody but us.
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'self' 'sha256-${createHash('sha256').update(begin).digest('base64')}'`,
    // The script writes its own style elements.
    "style-src 'unsafe-inline'",
    "connect-src 'self'",
    'img-src data:',
    'font-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const scriptHeaders = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'public, max-age=3600',
  'x-content-type-options': 'nosniff',
};
