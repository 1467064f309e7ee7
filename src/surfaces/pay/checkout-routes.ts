import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { followCheckouts } from '../../flows/follow-checkout.ts';
import type { Parts } from '../../flows/parts.ts';
import { proveCheckoutPayment } from '../../flows/prove-checkout.ts';
import { peekAtCheckout, showCheckout } from '../../flows/show-checkout.ts';
import { simulateCheckoutPayment } from '../../flows/simulate-checkout-payment.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import { qrSvg } from '../../kernel/qr.ts';
import { networkOf } from '../../limits/network-of.ts';
import { StreamsFull } from '../../limits/stream-slots.ts';
import type { CheckoutView } from '../../model/checkout-view.ts';
import { toSimulatedPayment } from '../../model/simulated-payment.ts';
import { prefersJson } from '../http/accept.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { goneSignal } from '../http/stream-answer.ts';
import { newNonce, pageHeaders } from '../pages/headers.ts';
import { chooseLanguage, inLanguage } from '../pages/language.ts';
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
  addPage(app, parts);
  addStatus(app, parts);
  addQr(app, parts);
  addEvents(app, parts);
  addSimulatedPayment(app, parts);
  addPreimage(app, parts);
}

function addPage(app: FastifyInstance, parts: Parts): void {
  app.get(page, { config, exposeHeadRoute }, async (request: Request, reply) => {
    reply.header('vary', 'accept, accept-language');
    if (!prefersJson(request.headers.accept)) {
      return sendPage(request, reply, parts, await findView(request, parts));
    }
    const view = await requireView(request, parts);
    if (view.waitSeconds !== undefined) {
      throw new AppError('rate_limited', view.unpayableReason!, { retryAfterSeconds: view.waitSeconds });
    }
    return noStore(reply).send(checkoutDescription(view, parts.links.payUrl));
  });
  // What a preview asks for makes no invoice.
  app.head(page, { config }, async (request: Request, reply) => {
    reply.header('vary', 'accept, accept-language');
    const view = await peekAtCheckout(parts, request.params.token);
    return startPage(reply, view, newNonce(), parts).send();
  });
  refuseOtherMethods(app, page, new Set(['GET', 'HEAD']));
}

function addStatus(app: FastifyInstance, parts: Parts): void {
  const path = `${page}/status`;
  app.get(path, { config: glance, exposeHeadRoute }, async (request: Request, reply) => {
    // Shops poll it from their own pages; the token is what admits.
    reply.header('access-control-allow-origin', '*');
    return noStore(reply).send(checkoutStatus(await requireView(request, parts)));
  });
  refuseOtherMethods(app, path, new Set(['GET']));
}

function addQr(app: FastifyInstance, parts: Parts): void {
  const path = `${page}/qr`;
  app.get(path, { config: glance, exposeHeadRoute }, async (request: Request, reply) => {
    const { bolt11, state } = await requireView(request, parts);
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
  refuseOtherMethods(app, path, new Set(['GET']));
}

function addEvents(app: FastifyInstance, parts: Parts): void {
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  const followers = followCheckouts(parts);
  const path = `${page}/events`;
  app.get(path, { config: glance, exposeHeadRoute }, async (request: Request, reply) => {
    const { token } = request.params;
    if (!(await peekAtCheckout(parts, token))) throw notFound('Checkout session');
    const signal = goneSignal(reply, closing.signal, parts.stopping);
    if (!parts.payerStreams.take(signal, token, networkOf(request.ip))) {
      throw new StreamsFull('wallet_unavailable', 'Too many pages follow checkouts now; poll /status instead', {
        retryAfterSeconds: 5,
      });
    }
    // A stream lasts; its looks are taken together for all that are open.
    request.place!.leave();
    return sendCheckoutEvents(reply, followers.follow(token, { address: request.ip }, signal));
  });
  refuseOtherMethods(app, path, new Set(['GET']));
}

function addSimulatedPayment(app: FastifyInstance, parts: Parts): void {
  const path = `${page}/simulate_payment`;
  app.post(path, { config: { ...config, isDeed: true } }, async (request: Request, reply) => {
    const paying = () => simulateCheckoutPayment(parts, request.params.token, parts.stopping);
    const outcome = await request.place!.aside(paying);
    if (isFromForm(request)) {
      const path = `/checkout/${request.params.token}`;
      return reply.code(303).header('location', inLanguage(path, request.query.locale)).send();
    }
    return noStore(reply).send(toSimulatedPayment(outcome));
  });
  refuseOtherMethods(app, path, new Set(['POST']));
}

function addPreimage(app: FastifyInstance, parts: Parts): void {
  const path = `${page}/preimage`;
  app.post(path, { config }, async (request: Request, reply) => {
    const { token } = request.params;
    const preimage = (request.body as { preimage?: unknown } | null | undefined)?.preimage;
    const proving = () => proveCheckoutPayment(parts, token, preimage);
    if (!isFromForm(request)) {
      await request.place!.aside(proving);
      return noStore(reply).send(checkoutStatus(await requireView(request, parts)));
    }
    try {
      await request.place!.aside(proving);
    } catch (error) {
      if (!(error instanceof AppError && error.code in preimageFaults)) throw error;
      return sendPage(request, reply, parts, await requireView(request, parts), error);
    }
    const language = chooseLanguage(request.query.locale, request.headers['accept-language']);
    return reply.code(303).header('location', `/checkout/${token}?locale=${language}`).send();
  });
  // The page that a form with a fault has left open is loaded again, or in another language.
  app.get(path, { config: glance, exposeHeadRoute }, async (request: Request, reply) => {
    const { search } = new URL(request.url, parts.links.payUrl);
    // Whatever the token is: a header cannot hold every character that an address can name.
    return reply
      .code(303)
      .header('location', `/checkout/${encodeURIComponent(request.params.token)}${search}`)
      .send();
  });
  refuseOtherMethods(app, path, new Set(['GET', 'POST']));
}

function findView({ params, ip, place }: Request, parts: Parts): Promise<CheckoutView | undefined> {
  return showCheckout(parts, params.token, { address: ip, place });
}

async function requireView(request: Request, parts: Parts): Promise<CheckoutView> {
  const view = await findView(request, parts);
  if (!view) throw notFound('Checkout session');
  return view;
}

/** @param fault why the preimage that was sent is not taken. */
function sendPage(
  request: Request,
  reply: FastifyReply,
  parts: Parts,
  view: CheckoutView | undefined,
  fault?: AppError,
): FastifyReply {
  const nonce = newNonce();
  const language = chooseLanguage(request.query.locale, request.headers['accept-language']);
  startPage(reply, view, nonce, parts);
  if (!view) return reply.send(renderMissingPage({ nonce, language }));
  if (!fault) return reply.send(renderCheckoutPage(view, { nonce, language, parentOrigin: parentOf(request, view) }));
  reply.code(fault.status);
  if (fault.retryAfterSeconds) reply.header('retry-after', String(fault.retryAfterSeconds));
  return reply.send(renderCheckoutPage(view, { nonce, language, preimageFault: preimageFaults[fault.code] }));
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
function startPage(reply: FastifyReply, view: CheckoutView | undefined, nonce: string, { links }: Parts): FastifyReply {
  const frameOrigins = view?.mode === 'iframe' ? view.allowedOrigins : [];
  // The form of an expired page ends at a fresh checkout, under PAY_URL.
  reply.headers(pageHeaders({ nonce, frameOrigins, formOrigins: [new URL(links.payUrl).origin] }));
  if (!view) return reply.code(404);
  if (view.waitSeconds !== undefined) return reply.code(429).header('retry-after', String(view.waitSeconds));
  return reply.code(view.state === 'expired' ? 410 : 200);
}

/** The page around the frame, where the merchant lists it. */
function parentOf(request: Request, view: CheckoutView): string | undefined {
  if (view.mode !== 'iframe') return undefined;
  return view.allowedOrigins.find((allowed) => allowed === request.query.origin);
}

/** A browser without scripts sent it and shows the answer to a person. */
function isFromForm(request: FastifyRequest): boolean {
  if (prefersJson(request.headers.accept)) return false;
  const type = request.headers['content-type'] ?? '';
  return type.startsWith('application/x-www-form-urlencoded') || (request.headers.accept ?? '').includes('text/html');
}
