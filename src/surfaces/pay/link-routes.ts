import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import { openPaymentLink, showPaymentLink } from '../../flows/show-payment-link.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import { checkoutLifeSeconds } from '../../model/checkout-session.ts';
import { toPaymentLink } from '../../model/payment-link-view.ts';
import { prefersJson } from '../http/prefers-json.ts';
import { newNonce, pageHeaders } from '../pages/headers.ts';
import { chooseLanguage } from '../pages/language.ts';
import { renderMissingPage } from './pages/missing-page.tsx';
import { renderPaymentLinkPage } from './pages/payment-link-page.tsx';

type Request = FastifyRequest<{ Params: { slug: string }; Querystring: Record<string, unknown>; Body: unknown }>;

const suffix = '.json';

/** Payment links: what they sell, for people and for machines, and the way into a checkout. No key is needed. */
export function addPaymentLinkPages(app: FastifyInstance, parts: Parts): void {
  app.get('/pay/:slug', async (request: Request, reply) => {
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
    const locale = chooseLanguage(request.query.locale, request.headers['accept-language']);
    reply.headers(pageHeaders({ nonce }));
    if (!view) return reply.code(404).send(renderMissingPage({ nonce, locale }));
    return reply.send(renderPaymentLinkPage(view, { nonce, locale }));
  });

  app.post('/pay/:slug', async (request: Request, reply) => {
    const { slug } = request.params;
    const view = await showPaymentLink(parts, slug);
    const nonce = newNonce();
    const locale = chooseLanguage(request.query.locale, request.headers['accept-language']);
    if (!view) {
      if (prefersJson(request.headers.accept)) throw notFound('Payment link');
      return reply.code(404).headers(pageHeaders({ nonce })).send(renderMissingPage({ nonce, locale }));
    }
    const waitSeconds = parts.publicQuota.take(`link ${slug}`, request.ip, parts.clock.now(), checkoutLifeSeconds);
    if (waitSeconds > 0) {
      throw new AppError('rate_limited', 'Too many checkouts were opened from here; wait a little', {
        retryAfterSeconds: waitSeconds,
      });
    }
    const token = await openPaymentLink(parts, slug, readFormToken(request.body));
    if (!token) throw notFound('Payment link');
    return reply
      .code(303)
      .header('location', `${parts.links.payUrl}/checkout/${token}`)
      .header('cache-control', 'no-store')
      .send();
  });
}

/** What the page's own form sends along; anything else is as good as none. */
function readFormToken(body: unknown): string | undefined {
  const token = (body as { form_token?: unknown } | null)?.form_token;
  return typeof token === 'string' && /^[\w-]{16,64}$/.test(token) ? token : undefined;
}
