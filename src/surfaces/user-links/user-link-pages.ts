import formBody from '@fastify/formbody';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptInvitation } from '../../flows/invite-user.ts';
import { askForPasswordLink, setNewPassword } from '../../flows/new-password.ts';
import type { Parts } from '../../flows/parts.ts';
import { readUserLink } from '../../flows/user-link.ts';
import { isEmailAddress } from '../../kernel/email.ts';
import { AppError } from '../../kernel/errors.ts';
import { faultOfPassword } from '../../model/password.ts';
import type { OpenLink, UserLinkKind } from '../../model/user-link.ts';
import { toAppError } from '../http/error-body.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { newNonce, pageHeaders } from '../pages/headers.ts';
import { ForeignForm, refuseForeignForms } from '../pages/same-origin.ts';
import { readText, speechOf } from '../people/page-setting.ts';
import type { Setting } from '../people/pages/people-page.tsx';
import { renderAcceptedPage, renderInvitationPage } from './invitation-page.tsx';
import { type ChoiceFault, renderOutcomePage, renderOverPage } from './page.tsx';
import { renderForgottenPage, renderNewPasswordPage, renderSavedPage, renderSentPage } from './password-pages.tsx';
import { passwordChangedLetter, passwordLetter, wordsOf } from './words.ts';

type Request = FastifyRequest<{ Params: { token: string } }>;

const config = { secretInPath: true } as const;

/**
 * Invitations and forgotten passwords. The link is the credential, so it goes into no log, and to no page of anybody else.
 * Looking at it does nothing: mail servers open links to see where they lead.
 */
export function addUserLinkPages(app: FastifyInstance, parts: Parts): void {
  app.register(async (pages) => {
    await pages.register(formBody, { bodyLimit: 16 * 1024 });
    pages.addHook('onRequest', async (request) => refuseForeignForms(request, parts.links.publicUrl));
    pages.setErrorHandler((error: FastifyError, request, reply) => showFailure(toAppError(error), request, reply));
    addForgottenPassword(pages, parts);
    addNewPassword(pages, parts);
    addInvitation(pages, parts);
  });
}

function addForgottenPassword(app: FastifyInstance, parts: Parts): void {
  const path = '/forgotten-password';
  const sendsMails = parts.mailer !== undefined;
  app.get(path, async (request, reply) => reply.send(renderForgottenPage(beginPage(request, reply), sendsMails)));

  app.post(path, async (request, reply) => {
    const setting = beginPage(request, reply);
    if (!sendsMails) return reply.code(404).send(renderForgottenPage(setting, sendsMails));
    const email = readField(request, 'email').trim();
    if (!isEmailAddress(email)) {
      return reply
        .code(422)
        .send(renderForgottenPage(setting, sendsMails, { email: email.slice(0, 254), fault: 'email' }));
    }
    try {
      await askForPasswordLink(parts, { email, address: request.ip, letter: passwordLetter(setting.language) });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'rate_limited') throw error;
      request.failure = error;
      reply.code(429).header('retry-after', String(error.retryAfterSeconds));
      return reply.send(renderForgottenPage(setting, sendsMails, { email, fault: 'tooMany' }));
    }
    return reply.send(renderSentPage(setting, email));
  });
  refuseOtherMethods(app, path, new Set(['GET', 'HEAD', 'POST']));
}

function addNewPassword(app: FastifyInstance, parts: Parts): void {
  addLinkPage(app, parts, 'password', '/new-password/:token', {
    show: (setting, link, fault) => renderNewPasswordPage(setting, link.email, fault),
    async act(request, link, setting) {
      const password = readField(request, 'password');
      const letter = passwordChangedLetter(setting.language);
      await setNewPassword(parts, link, password, { requestId: request.id, letter });
      return renderSavedPage(setting);
    },
  });
}

function addInvitation(app: FastifyInstance, parts: Parts): void {
  addLinkPage(app, parts, 'invitation', '/invitation/:token', {
    show: renderInvitationPage,
    async act(request, link, setting) {
      const password = link.has_password ? undefined : readField(request, 'password');
      await acceptInvitation(parts, link, password, request.id);
      return renderAcceptedPage(setting, link);
    },
  });
}

interface LinkPage {
  show(setting: Setting, link: OpenLink, fault?: ChoiceFault): string;
  /** Does what the link is for. @returns the page that says so. */
  act(request: Request, link: OpenLink, setting: Setting): Promise<string>;
}

function addLinkPage(app: FastifyInstance, parts: Parts, kind: UserLinkKind, path: string, page: LinkPage): void {
  app.get(path, { config }, async (request: Request, reply) => {
    const setting = beginPage(request, reply);
    const link = await readUserLink(parts, kind, request.params.token);
    return link ? reply.send(page.show(setting, link)) : reply.code(404).send(renderOverPage(setting));
  });

  app.post(path, { config }, async (request: Request, reply) => {
    const setting = beginPage(request, reply);
    const link = await readUserLink(parts, kind, request.params.token);
    if (!link) return reply.code(404).send(renderOverPage(setting));
    const fault = link.has_password && kind === 'invitation' ? undefined : faultOfChoice(request, link.email);
    if (fault) return reply.code(422).send(page.show(setting, link, fault));
    return reply.send(await page.act(request, link, setting));
  });
  refuseOtherMethods(app, path, new Set(['GET', 'HEAD', 'POST']));
}

function faultOfChoice(request: Request, email: string): ChoiceFault | undefined {
  const password = readField(request, 'password');
  return faultOfPassword(password, email) ?? (password === readField(request, 'repeat') ? undefined : 'differs');
}

function beginPage(request: FastifyRequest, reply: FastifyReply): Setting {
  const nonce = newNonce();
  reply.headers(pageHeaders({ nonce })).header('vary', 'accept-language');
  // As on the pages for staff: with `no-referrer` a form's origin would be `null`, and over plain http that is all it tells.
  reply.header('referrer-policy', 'same-origin');
  return { nonce, ...speechOf(request) };
}

/** A field of a form; what is missing is as good as empty. */
const readField = ({ body }: FastifyRequest, name: string): string => readText(body, name) ?? '';

/** A page for whatever goes wrong; what nobody foresaw says nothing of itself. */
function showFailure(failure: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.failure = failure;
  const setting = beginPage(request, reply);
  const words = wordsOf(setting.language);
  if (failure.code === 'conflict') return reply.code(failure.status).send(renderOverPage(setting));
  const text = failure instanceof ForeignForm ? words.foreign : failure.message;
  return reply.code(failure.status).send(renderOutcomePage(setting, { tone: 'bad', title: words.failed, text }));
}
