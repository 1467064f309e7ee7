import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  acceptByLink,
  type CustomerView,
  cancelByLink,
  payByLink,
  readCustomerView,
  simulateByLink,
} from '../../flows/customer-subscription.ts';
import type { Parts } from '../../flows/parts.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import { prefersJson } from '../http/accept.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { admitVisitors } from '../pages/admit-visitors.ts';
import { newNonce, pageHeaders } from '../pages/headers.ts';
import { chooseLanguage, inLanguage, type Language } from '../pages/language.ts';
import { showFailures } from '../pages/show-failures.tsx';
import { customerJson } from './customer-json.ts';
import { renderCustomerPage, renderRefusalPage, renderUnknownPage } from './customer-page.tsx';

type Request = FastifyRequest<{ Params: { link: string } }>;
type Deed = (parts: Parts, view: CustomerView) => Promise<void>;

/** What the customer can do, by the last part of the address. The link is the credential: it cannot be guessed. */
const deeds: Readonly<Record<string, Deed>> = {
  accept: (parts, view) => acceptByLink(parts, view),
  pay: (parts, view) => payByLink(parts, view),
  simulate_payment: (parts, view) => simulateByLink(parts, view),
  cancel: (parts, { subscription }) => cancelByLink(parts, subscription),
};

const page = '/subscriptions/:link';
const config = { secretInPath: true, visit: 'page' } as const;

/** The customer's page of a subscription, and what its buttons do. JSON for whoever prefers it to HTML. */
export function addSubscriptionPages(app: FastifyInstance, parts: Parts): void {
  app.register(async (pages) => {
    admitVisitors(pages, parts);
    showFailures(pages);
    addRoutes(pages, parts);
  });
}

function addRoutes(app: FastifyInstance, parts: Parts): void {
  app.get(page, { config }, async (request: Request, reply) => {
    const { link } = request.params;
    const view = await readCustomerView(parts, link);
    return view ? show(request, reply, view, link) : unknown(request, reply);
  });
  refuseOtherMethods(app, page, new Set(['GET', 'HEAD']));

  for (const [name, deed] of Object.entries(deeds)) {
    const path = `${page}/${name}`;
    app.post(path, { config: { ...config, isDeed: true } }, async (request: Request, reply) => {
      const { link } = request.params;
      const view = await readCustomerView(parts, link);
      if (!view) return unknown(request, reply);
      try {
        await request.place!.aside(() => deed(parts, view));
      } catch (error) {
        if (!(error instanceof AppError) || prefersJson(request.headers.accept)) throw error;
        const nonce = newNonce();
        return reply
          .code(error.status)
          .headers(pageHeaders({ nonce }))
          .send(renderRefusalPage(error.message, link, languageOf(request), nonce));
      }
      if (prefersJson(request.headers.accept))
        return show(request, reply, (await readCustomerView(parts, link))!, link);
      // Back to the page, so that a reload does nothing again.
      const address = inLanguage(`/subscriptions/${link}`, localeOf(request));
      return reply.code(303).header('location', address).header('cache-control', 'no-store').send();
    });
    refuseOtherMethods(app, path, new Set(['POST']));
  }
}

function show(request: Request, reply: FastifyReply, view: CustomerView, link: string): FastifyReply {
  reply.header('vary', 'accept, accept-language');
  if (prefersJson(request.headers.accept)) {
    return reply.header('cache-control', 'no-store').send(customerJson(view));
  }
  const nonce = newNonce();
  return reply.headers(pageHeaders({ nonce })).send(renderCustomerPage(view, link, languageOf(request), nonce));
}

function unknown(request: Request, reply: FastifyReply): FastifyReply {
  if (prefersJson(request.headers.accept)) throw notFound('Subscription');
  const nonce = newNonce();
  return reply
    .code(404)
    .headers(pageHeaders({ nonce }))
    .send(renderUnknownPage(languageOf(request), nonce));
}

function languageOf(request: Request): Language {
  return chooseLanguage(localeOf(request), request.headers['accept-language']);
}

const localeOf = (request: Request): unknown => (request.query as { locale?: unknown }).locale;
