import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import { showReceipt } from '../../flows/show-receipt.ts';
import { notFound } from '../../kernel/errors.ts';
import { toReceipt } from '../../model/receipt-view.ts';
import { prefersJson } from '../http/accept.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { newNonce, pageHeaders } from '../pages/headers.ts';
import { chooseLanguage } from '../pages/language.ts';
import { renderMissingPage } from './pages/missing-page.tsx';
import { renderReceiptPage } from './pages/receipt-page.tsx';

type Request = FastifyRequest<{ Params: { token: string }; Querystring: Record<string, unknown> }>;

const config = { secretInPath: true, visit: 'page' } as const;

/** Receipts: whoever has the address may see one. */
export function addReceiptPages(app: FastifyInstance, parts: Parts): void {
  refuseOtherMethods(app, '/receipts/:token', new Set(['GET', 'HEAD']));
  app.get('/receipts/:token', { config }, async (request: Request, reply) => {
    reply.header('vary', 'accept, accept-language');
    const view = await showReceipt(parts, request.params.token);
    if (prefersJson(request.headers.accept)) {
      if (!view) throw notFound('Receipt');
      return reply.header('cache-control', 'no-store').send(toReceipt(view));
    }
    const nonce = newNonce();
    const language = chooseLanguage(request.query.locale, request.headers['accept-language']);
    reply.headers(pageHeaders({ nonce }));
    if (!view) return reply.code(404).send(renderMissingPage({ nonce, language }));
    return reply.send(renderReceiptPage(view, { nonce, language }));
  });
}
