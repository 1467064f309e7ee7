import type { FastifyInstance, FastifyRequest } from 'fastify';
import { endAllSignIns, endSignIn, listSignIns } from '../../flows/browser-sign-in.ts';
import { listManagedConnections } from '../../flows/end-oauth-connection.ts';
import type { Parts } from '../../flows/parts.ts';
import { isUuid } from '../../kernel/ids.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { inLanguage } from '../pages/language.ts';
import { beginPage, readLocale } from './page-setting.ts';
import { renderAccountPage } from './pages/account-page.tsx';
import { clearSessionCookie } from './session-cookie.ts';
import { findUserOrAskToSignIn, goTo } from './signed-in.ts';

const account = '/account';

/** The page where one looks after one's own account. */
export function addAccountPages(app: FastifyInstance, parts: Parts): void {
  app.get(account, async (request, reply) => {
    const signedIn = await findUserOrAskToSignIn(parts, request, reply);
    if (!signedIn) return reply;
    const signIns = await listSignIns(parts, signedIn.user.id);
    const hasAssistants = (await listManagedConnections(parts.db, signedIn.user.id)).length > 0;
    return reply.send(renderAccountPage({ ...beginPage(request, reply), signedIn, signIns, hasAssistants }));
  });

  app.post(`${account}/sign-ins/:id/end`, async (request: FastifyRequest<{ Params: { id: string } }>, reply) => {
    const back = inLanguage(account, readLocale(request));
    const signedIn = await findUserOrAskToSignIn(parts, request, reply, back);
    if (!signedIn) return reply;
    // One that is over already is what was wanted.
    if (isUuid(request.params.id)) await endSignIn(parts, signedIn.user.id, request.params.id);
    return goTo(reply, back);
  });

  app.post(`${account}/sign-out-everywhere`, async (request, reply) => {
    const back = inLanguage(account, readLocale(request));
    const signedIn = await findUserOrAskToSignIn(parts, request, reply, back);
    if (!signedIn) return reply;
    await endAllSignIns(parts, signedIn.user.id, request.id);
    clearSessionCookie(request, reply, parts.links.publicUrl);
    return goTo(reply, inLanguage('/sign-in', readLocale(request)));
  });

  refuseOtherMethods(app, account, new Set(['GET', 'HEAD']));
}
