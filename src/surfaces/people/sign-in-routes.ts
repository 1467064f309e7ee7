import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Parts } from '../../flows/parts.ts';
import { endWebSession, signInBrowser } from '../../flows/web-session.ts';
import { AppError } from '../../kernel/errors.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { browserName } from './browser-name.ts';
import { beginPage, readLocale, readText } from './page-setting.ts';
import { refusalText } from './pages/refusal-page.tsx';
import { renderSignInPage, type SignInPage } from './pages/sign-in-page.tsx';
import { readReturnTo } from './return-to.ts';
import { clearSessionCookie, readSessionToken, setSessionCookie } from './session-cookie.ts';
import { findSignedInUser, goTo } from './signed-in.ts';
import { wordsOf } from './words.ts';

const longestEmailChars = 254;
const longestPasswordChars = 1000;

/** The door to all pages that need somebody: in at `/sign-in`, out at `/sign-out`. */
export function addSignInPages(app: FastifyInstance, parts: Parts): void {
  const { links } = parts;

  app.get('/sign-in', async (request, reply) => {
    if (await findSignedInUser(parts, request)) return goTo(reply, returnAddress(request));
    return show(request, reply, {});
  });

  app.post('/sign-in', async (request, reply) => {
    const email = readText(request.body, 'email')?.trim() ?? '';
    const password = readText(request.body, 'password') ?? '';
    const { language } = beginPage(request, reply);
    const words = wordsOf(language);
    if (email === '' || password === '') return show(request, reply.code(400), { email, fault: words.missing });
    if (email.length > longestEmailChars || password.length > longestPasswordChars) {
      return show(request, reply.code(401), { fault: words.wrong });
    }
    try {
      const token = await signInBrowser(parts, {
        email,
        password,
        address: request.ip,
        device: browserName(request.headers['user-agent']),
        earlierToken: readSessionToken(request, links.publicUrl),
      });
      setSessionCookie(request, reply, links.publicUrl, token);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      request.failure = error;
      reply.code(error.status);
      if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
      if (error.code === 'invalid_token') return show(request, reply, { email, fault: words.wrong });
      return show(request, reply, { email, notice: refusalText(error, language) ?? error.message });
    }
    return goTo(reply, returnAddress(request));
  });

  app.post('/sign-out', async (request, reply) => {
    const token = readSessionToken(request, links.publicUrl);
    if (token !== undefined) await endWebSession(parts, token);
    clearSessionCookie(request, reply, links.publicUrl);
    return goTo(reply, '/sign-in');
  });

  refuseOtherMethods(app, '/sign-in', new Set(['GET', 'HEAD', 'POST']));
  refuseOtherMethods(app, '/sign-out', new Set(['POST']));
}

function show(
  request: FastifyRequest,
  reply: FastifyReply,
  said: Pick<SignInPage, 'email' | 'fault' | 'notice'>,
): FastifyReply {
  const returnTo = readReturnTo(readText(request.query, 'return_to'));
  return reply.send(renderSignInPage({ ...beginPage(request, reply), returnTo, locale: readLocale(request), ...said }));
}

function returnAddress(request: FastifyRequest): string {
  return readReturnTo(readText(request.query, 'return_to')) ?? '/account';
}
