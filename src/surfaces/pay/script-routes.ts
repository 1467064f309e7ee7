import type { FastifyInstance } from 'fastify';
import { readAsset } from '../pages/assets.ts';

const scripts = {
  pay: readAsset('./scripts/pay.js', import.meta.url),
  embed: readAsset('./scripts/embed.js', import.meta.url),
};

/** Scripts for merchants' own pages: open a checkout from a button, and show one in a frame. */
export function addEmbedScripts(app: FastifyInstance): void {
  for (const [name, text] of Object.entries(scripts)) {
    app.get(`/js/${name}.js`, async (_request, reply) =>
      reply
        .header('cache-control', 'public, max-age=3600')
        .header('access-control-allow-origin', '*')
        .header('cross-origin-resource-policy', 'cross-origin')
        .header('x-content-type-options', 'nosniff')
        .type('text/javascript; charset=utf-8')
        .send(text),
    );
  }
}
