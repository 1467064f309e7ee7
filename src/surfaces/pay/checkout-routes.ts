import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { followCheckout } from '../../flows/follow-checkout.ts';
import type { Parts } from '../../flows/parts.ts';
import { showCheckout } from '../../flows/show-checkout.ts';
import { simulateCheckoutPayment } from '../../flows/simulate-checkout-payment.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import { qrSvg } from '../../kernel/qr.ts';
import type { CheckoutView } from '../../model/checkout-view.ts';
import { toSimulatedPayment } from '../../model/simulated-payment.ts';
import { prefersJson } from '../http/prefers-json.ts';
import { goneSignal } from '../http/stream-answer.ts';
import { newNonce, pageHeaders } from '../pages/headers.ts';
import { chooseLanguage } from '../pages/language.ts';
import { sendCheckoutEvents } from './checkout-events.ts';
import { checkoutDescription, checkoutStatus } from './checkout-json.ts';
import { renderCheckoutPage } from './pages/checkout-page.tsx';
import { renderMissingPage } from './pages/missing-page.tsx';

type Request = FastifyRequest<{ Params: { token: string }; Querystring: Record<string, unknown> }>;

// Whoever has the token may pay and sees what was bought.
const config = { secretInPath: true } as const;

/** The hosted checkout: the page, what its script and pollers read, and the payer of test mode. No key is needed. */
export function addCheckoutPages(app: FastifyInstance, parts: Parts): void {
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());

  const visitorOf = (request: Request) => ({ address: request.ip, signal: parts.stopping });

  async function requireView(request: Request): Promise<CheckoutView> {
    const view = await showCheckout(parts, request.params.token, visitorOf(request));
    if (!view) throw notFound('Checkout session');
    return view;
  }

  // Not for HEAD: what a preview asks for makes no invoice.
  app.route({
    method: 'HEAD',
    url: '/checkout/:token',
    config,
    handler: async (_request, reply) => reply.type('text/html; charset=utf-8').send(),
  });
  app.get('/checkout/:token', { config, exposeHeadRoute: false }, async (request: Request, reply) => {
    reply.header('vary', 'accept, accept-language');
    const view = await showCheckout(parts, request.params.token, visitorOf(request));
    if (prefersJson(request.headers.accept)) {
      if (!view) throw notFound('Checkout session');
      return reply.header('cache-control', 'no-store').send(checkoutDescription(view, parts.links.payUrl));
    }
    return sendPage(request, reply, view);
  });

  app.get('/checkout/:token/status', { config, exposeHeadRoute: false }, async (request: Request, reply) => {
    const view = await requireView(request);
    return reply
      .header('cache-control', 'no-store')
      .header('access-control-allow-origin', '*')
      .send(checkoutStatus(view));
  });

  app.get('/checkout/:token/qr', { config, exposeHeadRoute: false }, async (request: Request, reply) => {
    const { bolt11 } = await requireView(request);
    if (!bolt11) throw new AppError('gone', 'This checkout has no open invoice to show');
    return reply
      .header('cache-control', 'no-store')
      .type('image/svg+xml')
      .send(qrSvg(`LIGHTNING:${bolt11.toUpperCase()}`));
  });

  app.get('/checkout/:token/events', { config, exposeHeadRoute: false }, async (request: Request, reply) => {
    await requireView(request);
    const giveBack = parts.streams.take(`${request.params.token} ${request.ip}`);
    if (!giveBack) {
      throw new AppError('wallet_unavailable', 'Too many pages follow checkouts now; poll /status instead', {
        retryAfterSeconds: 5,
      });
    }
    const signal = goneSignal(reply, closing.signal, parts.stopping);
    signal.addEventListener('abort', giveBack);
    return sendCheckoutEvents(
      reply,
      followCheckout(parts, request.params.token, { address: request.ip, signal }),
      giveBack,
    );
  });

  app.post('/checkout/:token/simulate_payment', { config }, async (request: Request, reply) => {
    const outcome = await simulateCheckoutPayment(parts, request.params.token, parts.stopping);
    if (!prefersJson(request.headers.accept) && isFromForm(request)) {
      return reply.code(303).header('location', `/checkout/${request.params.token}`).send();
    }
    return reply.header('cache-control', 'no-store').send(toSimulatedPayment(outcome.invoiceId, outcome));
  });

  function sendPage(request: Request, reply: FastifyReply, view: CheckoutView | undefined): FastifyReply {
    const nonce = newNonce();
    const locale = chooseLanguage(request.query.locale, request.headers['accept-language']);
    if (!view) {
      return reply.code(404).headers(pageHeaders({ nonce })).send(renderMissingPage({ nonce, locale }));
    }
    const origin = typeof request.query.origin === 'string' ? request.query.origin : undefined;
    const parent = view.allowedOrigins.find((allowed) => allowed === origin);
    const isFramed = view.mode === 'iframe';
    return reply
      .code(view.state === 'expired' ? 410 : 200)
      .headers(pageHeaders({ nonce, frameOrigins: isFramed ? view.allowedOrigins : [] }))
      .send(renderCheckoutPage(view, { nonce, locale, parentOrigin: isFramed ? parent : undefined }));
  }
}

function isFromForm(request: FastifyRequest): boolean {
  const type = request.headers['content-type'] ?? '';
  return type.startsWith('application/x-www-form-urlencoded') || (request.headers.accept ?? '').includes('text/html');
}
