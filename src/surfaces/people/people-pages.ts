import formBody from '@fastify/formbody';
import type { FastifyError, FastifyInstance } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import { prefersJson } from '../http/accept.ts';
import { toAppError } from '../http/error-body.ts';
import { refuseForeignForms } from '../pages/same-origin.ts';
import { addAccountPages } from './account-routes.ts';
import { addAssistantPages } from './assistant-routes.ts';
import { beginPage } from './page-setting.ts';
import { renderRefusalPage } from './pages/refusal-page.tsx';
import { addSecondFactorPages } from './second-factor-routes.ts';
import { addSignInPages } from './sign-in-routes.ts';

/** Pages for those who work for a merchant. */
export function addPeoplePages(app: FastifyInstance, parts: Parts): void {
  servePeoplePages(app, parts, (pages) => {
    addSignInPages(pages, parts);
    addAccountPages(pages, parts);
    addSecondFactorPages(pages, parts);
    addAssistantPages(pages, parts);
  });
}

/**
 * Serves pages that act for whoever is signed in: forms come from pages of ours, refusals are pages too. They are not
 * compressed: what was typed stands beside what is secret (BREACH).
 */
export function servePeoplePages(app: FastifyInstance, parts: Parts, add: (pages: FastifyInstance) => void): void {
  app.register(async (pages) => {
    await pages.register(formBody, { bodyLimit: 16 * 1024 });
    pages.addHook('onRequest', async (request) => refuseForeignForms(request, parts.links.publicUrl));
    pages.setErrorHandler((error: FastifyError, request, reply) => {
      const failure = toAppError(error);
      if (prefersJson(request.headers.accept)) throw failure;
      request.failure = failure;
      const setting = beginPage(request, reply);
      return reply.code(failure.status).send(renderRefusalPage(failure, backFrom(request.url), setting));
    });
    add(pages);
  });
}

function backFrom(url: string): string {
  if (url.startsWith('/account')) return '/account';
  return url.startsWith('/oauth/') ? url : '/sign-in';
}
