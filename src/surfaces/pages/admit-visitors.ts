import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Visit } from '../../limits/visitor-pace.ts';
import type { VisitorPlace } from '../../limits/visitor-places.ts';
import { prefersJson } from '../http/accept.ts';
import { busyPage } from './busy-page.tsx';
import { chooseLanguage, inLanguage } from './language.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Where the visit is being worked on; there once it was let in. */
    place: VisitorPlace | undefined;
  }
  interface FastifyContextConfig {
    /** Says that strangers come here, and what for; such a route is open to few at a time. */
    visit?: Visit;
    /** The route is what a form does on the page one level above, and shows nothing of its own. */
    isDeed?: true;
  }
}

/**
 * Lets strangers in at their pace and few at a time, before anything is done for them; the rest hear when to come again.
 * Concerns the routes of `pages` that name their kind of visit.
 */
export function admitVisitors(pages: FastifyInstance, { visitorPace, visitorPlaces }: Parts): void {
  pages.decorateRequest('place', undefined);
  pages.addHook('onRequest', async (request, reply) => {
    const { visit } = request.routeOptions.config;
    if (!visit) return;
    const { waitMillis, isRefused } = visitorPace.book(visit, request.ip);
    if (isRefused) return refuse(request, reply, waitMillis);
    const left = new AbortController();
    reply.raw.once('close', () => {
      left.abort();
      request.place?.leave();
    });
    if (waitMillis > 0) await sleep(waitMillis, undefined, { signal: left.signal }).catch(() => {});
    request.place = await visitorPlaces.enter(request.ip, left.signal);
    if (!request.place) return refuse(request, reply, 1000);
  });
  pages.addHook('onResponse', async (request) => request.place?.leave());
}

function refuse(request: FastifyRequest, reply: FastifyReply, waitMillis: number): FastifyReply {
  const retryAfterSeconds = Math.ceil(waitMillis / 1000);
  const { accept, 'accept-language': languages } = request.headers;
  if (request.routeOptions.config.visit !== 'page' || prefersJson(accept)) {
    throw new AppError('rate_limited', 'Too many pages are opened from here; wait a little', { retryAfterSeconds });
  }
  const language = chooseLanguage((request.query as { locale?: unknown }).locale, languages);
  const { headers, html } = busyPage(language, request.routeOptions.config.isDeed && inLanguage('.', language));
  return reply.code(429).headers(headers).header('retry-after', String(retryAfterSeconds)).send(html);
}
