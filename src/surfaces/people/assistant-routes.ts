import type { FastifyInstance, FastifyRequest } from 'fastify';
import { endConnectionAsUser, listManagedConnections } from '../../flows/end-oauth-connection.ts';
import type { Parts } from '../../flows/parts.ts';
import { isUuid } from '../../kernel/ids.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { inLanguage } from '../pages/language.ts';
import { beginPage, readLocale } from './page-setting.ts';
import { renderAssistantsPage } from './pages/assistants-page.tsx';
import { findUserOrAskToSignIn, goTo } from './signed-in.ts';

const page = '/account/assistants';

/** The page of connected assistants, where each can be disconnected. */
export function addAssistantPages(app: FastifyInstance, parts: Parts): void {
  app.get(page, async (request, reply) => {
    const signedIn = await findUserOrAskToSignIn(parts, request, reply);
    if (!signedIn) return reply;
    const connections = await listManagedConnections(parts.db, signedIn.user.id);
    return reply.send(renderAssistantsPage({ ...beginPage(request, reply), connections }));
  });

  app.post(`${page}/:id/end`, async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
    const back = inLanguage(page, readLocale(request));
    const signedIn = await findUserOrAskToSignIn(parts, request, reply, back);
    if (!signedIn) return reply;
    // One that is over already is what was wanted.
    if (isUuid(request.params.id)) await endConnectionAsUser(parts, signedIn.user.id, request.params.id, request.id);
    return goTo(reply, back);
  });

  refuseOtherMethods(app, page, new Set(['GET', 'HEAD']));
}
