import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import { openPaymentLink, showPaymentLink } from '../../flows/show-payment-link.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import { checkoutUrl } from '../../model/checkout-session.ts';
import { toPaymentLink } from '../../model/payment-link-view.ts';
import { prefersJson } from '../http/accept.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { newNonce, pageHeaders } from '../pages/headers.ts';
import { chooseLanguage, inLanguage } from '../pages/language.ts';
import { renderMissingPage } from './pages/missing-page.tsx';
import { renderPaymentLinkPage } from './pages/payment-link-page.tsx';

type Request = FastifyRequest<{ Params: { slug: string }; Querystring: Record<string, unknown>; Body: unknown }>;

const suffix = '.json';
const config = { visit: 'page' } as const;

/** Payment links: what they sell, for people and for machines, and the way into a checkout. No key is needed. */
export function addPaymentLinkPages(app: FastifyInstance, parts: Parts): void {
  app.get('/pay/:slug', { config }, async (request: Request, reply) => {
    const asksByName = request.params.slug.endsWith(suffix);
    const slug = asksByName ? request.params.slug.slice(0, -suffix.length) : request.params.slug;
    reply.header('vary', 'accept, accept-language');
    const view = await showPaymentLink(parts, slug);
    if (asksByName || prefersJson(request.headers.accept)) {
      reply.header('access-control-allow-origin', '*').header('cache-control', 'no-store');
      if (!view) throw notFound('Payment link');
      return reply.send(toPaymentLink(view));
    }
    const nonce = newNonce();
    const language = chooseLanguage(request.query.locale, request.headers['accept-language']);
    reply.headers(pageHeaders({ nonce, formOrigins: [new URL(parts.links.payUrl).origin] }));
    if (!view) return reply.code(404).send(renderMissingPage({ nonce, language }));
    return reply.send(renderPaymentLinkPage(view, { nonce, language }));
  });

  refuseOtherMethods(app, '/pay/:slug', new Set(['GET', 'HEAD', 'POST']));

  app.post('/pay/:slug', { config }, async (request: Request, reply) => {
    const { slug } = request.params;
    const isForMachine = prefersJson(request.headers.accept);
    let token: string | undefined;
    let refusal: AppError | undefined;
    try {
      token = await openPaymentLink(parts, slug, { address: request.ip, formToken: readFormToken(request.body) });
    } catch (error) {
      if (isForMachine || !(error instanceof AppError)) throw error;
      refusal = error;
    }
    if (token !== undefined) {
      return reply
        .code(303)
        .header('location', inLanguage(checkoutUrl(token, parts.links.payUrl), request.query.locale))
        .header('cache-control', 'no-store')
        .send();
    }
    if (isForMachine) throw notFound('Payment link');
    const nonce = newNonce();
    const language = chooseLanguage(request.query.locale, request.headers['accept-language']);
    const view = refusal && (await showPaymentLink(parts, slug));
    reply.headers(pageHeaders({ nonce, formOrigins: [new URL(parts.links.payUrl).origin] }));
    if (!refusal || !view) return reply.code(404).send(renderMissingPage({ nonce, language }));
    // The link's own page again, its button off: it says why in the payer's language.
    if (refusal.retryAfterSeconds) reply.header('retry-after', String(refusal.retryAfterSeconds));
    return reply.code(refusal.status).send(renderPaymentLinkPage({ ...view, payable: false }, { nonce, language }));
  });
}

/** What the page's own form sends along; anything else is as good as none. */
function readFormToken(body: unknown): string | undefined {
  const token = (body as { form_token?: unknown } | null)?.form_token;
  return typeof token === 'string' && /^[\w-]{16,64}$/.test(token) ? token : undefined;
}
