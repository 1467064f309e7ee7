import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { followCheckouts } from '../../flows/follow-checkout.ts';
import type { Parts } from '../../flows/parts.ts';
import { proveCheckoutPayment } from '../../flows/prove-checkout.ts';
import { peekAtCheckout, showCheckout } from '../../flows/show-checkout.ts';
import { simulateCheckoutPayment } from '../../flows/simulate-checkout-payment.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import { qrSvg } from '../../kernel/qr.ts';
import { networkOf } from '../../limits/network-of.ts';
import type { CheckoutView } from '../../model/checkout-view.ts';
import { toSimulatedPayment } from '../../model/simulated-payment.ts';
import { prefersJson } from '../http/accept.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { goneSignal } from '../http/stream-answer.ts';
import { newNonce, pageHeaders } from '../pages/headers.ts';
import { chooseLanguage } from '../pages/language.ts';
import { sendCheckoutEvents } from './checkout-events.ts';
import { checkoutDescription, checkoutStatus } from './checkout-json.ts';
import { renderCheckoutPage } from './pages/checkout-page.tsx';
import { renderMissingPage } from './pages/missing-page.tsx';
import type { PreimageFault } from './pages/proof-form.tsx';

type Request = FastifyRequest<{ Params: { token: string }; Querystring: Record<string, unknown> }>;

const page = '/checkout/:token';
// Whoever has the token may pay and sees what was bought.
const config = { secretInPath: true, visit: 'page' } as const;
const glance = { secretInPath: true, visit: 'glance' } as const;
// Fastify would answer HEAD with what GET does, invoice and all.
const exposeHeadRoute = false;

/** The hosted checkout: the page, what its script and pollers read, and the payer of test mode. No key is needed. */
export function addCheckoutPages(app: FastifyInstance, parts: Parts): void {
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  const followers = followCheckouts(parts);

  const visitorOf = ({ ip, place }: Request) => ({ address: ip, place });

  async function requireView(request: Request): Promise<CheckoutView> {
    const view = await showCheckout(parts, request.params.token, visitorOf(request));
    if (!view) throw notFound('Checkout session');
    return view;
  }

  app.get(page, { config, exposeHeadRoute }, async (request: Request, reply) => {
    reply.header('vary', 'accept, accept-language');
    if (prefersJson(request.headers.accept)) {
      const view = await requireView(request);
      if (view.waitSeconds !== undefined) {
        throw new AppError('rate_limited', view.unpayableReason!, { retryAfterSeconds: view.waitSeconds });
      }
      return noStore(reply).send(checkoutDescription(view, parts.links.payUrl));
    }
    const view = await showCheckout(parts, request.params.token, visitorOf(request));
    const nonce = newNonce();
    const locale = chooseLanguage(request.query.locale, request.headers['accept-language']);
    startPage(reply, view, nonce, parts.links.payUrl);
    if (!view) return reply.send(renderMissingPage({ nonce, locale }));
    return reply.send(renderCheckoutPage(view, { nonce, locale, parentOrigin: parentOf(request, view) }));
  });

  // What a preview asks for makes no invoice.
  app.head(page, { config }, async (request: Request, reply) => {
    reply.header('vary', 'accept, accept-language');
    const view = await peekAtCheckout(parts, request.params.token);
    return startPage(reply, view, newNonce(), parts.links.payUrl).send();
  });
  refuseOtherMethods(app, page, new Set(['GET', 'HEAD']));

  app.get(`${page}/status`, { config: glance, exposeHeadRoute }, async (request: Request, reply) => {
    // Shops poll it from their own pages; the token is what admits.
    reply.header('access-control-allow-origin', '*');
    return noStore(reply).send(checkoutStatus(await requireView(request)));
  });

  app.get(`${page}/qr`, { config: glance, exposeHeadRoute }, async (request: Request, reply) => {
    const { bolt11, state } = await requireView(request);
    if (bolt11) {
      return noStore(reply)
        .type('image/svg+xml')
        .send(qrSvg(`LIGHTNING:${bolt11.toUpperCase()}`));
    }
    if (state === 'held' || state === 'unpayable') {
      throw new AppError('conflict', 'This checkout has no invoice to show now', { retryAfterSeconds: 5 });
    }
    throw new AppError('gone', 'This checkout has no open invoice any more');
  });

  app.get(`${page}/events`, { config: glance, exposeHeadRoute }, async (request: Request, reply) => {
    const { token } = request.params;
    if (!(await peekAtCheckout(parts, token))) throw notFound('Checkout session');
    const signal = goneSignal(reply, closing.signal, parts.stopping);
    if (!parts.payerStreams.take(signal, token, networkOf(request.ip))) {
      throw new AppError('wallet_unavailable', 'Too many pages follow checkouts now; poll /status instead', {
        retryAfterSeconds: 5,
      });
    }
    // A stream lasts; its looks are taken together for all that are open.
    request.place!.leave();
    return sendCheckoutEvents(reply, followers.follow(token, { address: request.ip }, signal));
  });
  for (const part of ['status', 'qr', 'events']) refuseOtherMethods(app, `${page}/${part}`, new Set(['GET']));

  app.post(`${page}/simulate_payment`, { config }, async (request: Request, reply) => {
    const paying = () => simulateCheckoutPayment(parts, request.params.token, parts.stopping);
    const outcome = await request.place!.aside(paying);
    if (!prefersJson(request.headers.accept) && isFromForm(request)) {
      return reply.code(303).header('location', `/checkout/${request.params.token}`).send();
    }
    return noStore(reply).send(toSimulatedPayment(outcome.invoiceId, outcome));
  });
  refuseOtherMethods(app, `${page}/simulate_payment`, new Set(['POST']));

  app.post(`${page}/preimage`, { config }, async (request: Request, reply) => {
    const { token } = request.params;
    const preimage = (request.body as { preimage?: unknown } | null | undefined)?.preimage;
    const isForm = !prefersJson(request.headers.accept) && isFromForm(request);
    const proving = () => proveCheckoutPayment(parts, token, preimage);
    const fault = await request.place!.aside(proving).then(
      () => undefined,
      (error: unknown) => {
        if (isForm && error instanceof AppError && error.code in preimageFaults) return error;
        throw error;
      },
    );
    if (!isForm) return noStore(reply).send(checkoutStatus(await requireView(request)));
    const locale = chooseLanguage(request.query.locale, request.headers['accept-language']);
    if (!fault) return reply.code(303).header('location', `/checkout/${token}?locale=${locale}`).send();
    const view = await requireView(request);
    const nonce = newNonce();
    startPage(reply, view, nonce, parts.links.payUrl).code(fault.status);
    if (fault.retryAfterSeconds) reply.header('retry-after', String(fault.retryAfterSeconds));
    return reply.send(renderCheckoutPage(view, { nonce, locale, preimageFault: preimageFaults[fault.code] }));
  });
  // The page that a form with a fault has left open is loaded again, or in another language.
  app.get(`${page}/preimage`, { config: glance, exposeHeadRoute }, async (request: Request, reply) => {
    const { search } = new URL(request.url, parts.links.payUrl);
    // Whatever the token is: a header cannot hold every character that an address can name.
    return reply
      .code(303)
      .header('location', `/checkout/${encodeURIComponent(request.params.token)}${search}`)
      .send();
  });
  refuseOtherMethods(app, `${page}/preimage`, new Set(['GET', 'POST']));
}

/** What the page says of a preimage by the code of its error. */
const preimageFaults: Readonly<Record<string, PreimageFault | undefined>> = {
  validation_error: 'wrong',
  rate_limited: 'tooMany',
  // The wallet tells by itself now: the page shows how things stand.
  conflict: undefined,
};

function noStore(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store');
}

/** Status and headers of the page, for GET and HEAD alike. */
function startPage(reply: FastifyReply, view: CheckoutView | undefined, nonce: string, payUrl: string): FastifyReply {
  const frameOrigins = view?.mode === 'iframe' ? view.allowedOrigins : [];
  // The form of an expired page ends at a fresh checkout, under PAY_URL.
  reply.headers(pageHeaders({ nonce, frameOrigins, formOrigins: [new URL(payUrl).origin] }));
  if (!view) return reply.code(404);
  if (view.waitSeconds !== undefined) return reply.code(429).header('retry-after', String(view.waitSeconds));
  return reply.code(view.state === 'expired' ? 410 : 200);
}

/** The page around the frame, where the merchant lists it. */
function parentOf(request: Request, view: CheckoutView): string | undefined {
  if (view.mode !== 'iframe') return undefined;
  return view.allowedOrigins.find((allowed) => allowed === request.query.origin);
}

function isFromForm(request: FastifyRequest): boolean {
  const type = request.headers['content-type'] ?? '';
  return type.startsWith('application/x-www-form-urlencoded') || (request.headers.accept ?? '').includes('text/html');
}
