import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { confirmSignIn, endBrowserSignIn, isCodeAwaited, signInBrowser } from '../../flows/browser-sign-in.ts';
import type { Parts } from '../../flows/parts.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { inLanguage } from '../pages/language.ts';
import { browserName } from './browser-name.ts';
import { beginPage, readLocale, readText, sourceOf } from './page-setting.ts';
import { renderCodePage } from './pages/code-page.tsx';
import type { Failure } from './pages/refusal-page.tsx';
import { renderSignInPage } from './pages/sign-in-page.tsx';
import { pageAddress, readReturnTo } from './return-to.ts';
import { clearSessionCookie, readSessionToken, setSessionCookie } from './session-cookie.ts';
import { readFailure } from './show-failure.ts';
import { findSignedInUser, goTo } from './signed-in.ts';
import { wordsOf } from './words.ts';

const longestEmailChars = 254;
const longestPasswordChars = 1000;
const longestCodeChars = 100;
const readersAndForms: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

/** The door to all pages that need somebody: in at `/sign-in`, where need be through `/sign-in/code`; out at `/sign-out`. */
export function addSignInPages(app: FastifyInstance, parts: Parts): void {
  // Read anew each time: the port may become known only when the server listens.
  const { links } = parts;
  const deviceOf = (request: FastifyRequest) => browserName(request.headers['user-agent']);

  app.get('/sign-in', async (request, reply) => {
    if (await findSignedInUser(parts, request)) return goTo(reply, returnAddress(request));
    return showSignIn(request, reply, {});
  });

  app.post('/sign-in', async (request, reply) => {
    const email = readText(request.body, 'email')?.trim() ?? '';
    const password = readText(request.body, 'password') ?? '';
    const { language } = beginPage(request, reply);
    const words = wordsOf(language);
    if (email === '' || password === '') return showSignIn(request, reply.code(400), { email, fault: words.missing });
    if (email.length > longestEmailChars || password.length > longestPasswordChars) {
      return showSignIn(request, reply.code(401), { fault: words.wrong });
    }
    try {
      const browser = { device: deviceOf(request), earlierToken: readSessionToken(request, links.publicUrl) };
      const { token, needsCode } = await signInBrowser(parts, { email, password, ...sourceOf(request) }, browser);
      setSessionCookie(request, reply, links.publicUrl, token);
      return goTo(reply, needsCode ? pageAddress('/sign-in/code', parametersOf(request)) : returnAddress(request));
    } catch (error) {
      return showSignIn(request, reply, {
        email,
        ...readFailure(error, request, reply, { wrong: words.wrong, language }),
      });
    }
  });

  app.get('/sign-in/code', async (request, reply) => {
    const token = readSessionToken(request, links.publicUrl);
    if (token === undefined || !(await isCodeAwaited(parts, token))) return startAgain(request, reply);
    return showCode(request, reply, {});
  });

  app.post('/sign-in/code', async (request, reply) => {
    const token = readSessionToken(request, links.publicUrl);
    const recoveryCode = readText(request.body, 'recovery_code');
    const code = readText(request.body, 'code') ?? recoveryCode ?? '';
    const { language } = beginPage(request, reply);
    const words = wordsOf(language);
    const wrong = recoveryCode === undefined ? words.wrongCode : words.wrongRecoveryCode;
    if (code === '' || code.length > longestCodeChars) {
      return showCode(request, reply.code(400), {
        fault: wrong,
        recoveryCode: recoveryCode?.slice(0, longestCodeChars),
      });
    }
    try {
      const opened = token && (await confirmSignIn(parts, token, code, sourceOf(request), deviceOf(request)));
      if (!opened) return startAgain(request, reply);
      setSessionCookie(request, reply, links.publicUrl, opened);
      return goTo(reply, returnAddress(request));
    } catch (error) {
      return showCode(request, reply, {
        recoveryCode,
        ...readFailure(error, request, reply, { wrong, language }),
      });
    }
  });

  app.post('/sign-out', async (request, reply) => {
    const token = readSessionToken(request, links.publicUrl);
    if (token !== undefined) await endBrowserSignIn(parts, token);
    clearSessionCookie(request, reply, links.publicUrl);
    return goTo(reply, inLanguage('/sign-in', readLocale(request)));
  });

  refuseOtherMethods(app, '/sign-in', readersAndForms);
  refuseOtherMethods(app, '/sign-in/code', readersAndForms);
  refuseOtherMethods(app, '/sign-out', new Set(['POST']));
}

function showSignIn(request: FastifyRequest, reply: FastifyReply, said: Failure & { email?: string }): FastifyReply {
  return reply.send(renderSignInPage({ ...beginPage(request, reply), returnTo: returnToOf(request), ...said }));
}

function showCode(
  request: FastifyRequest,
  reply: FastifyReply,
  said: Failure & { recoveryCode?: string | undefined },
): FastifyReply {
  return reply.send(renderCodePage({ ...beginPage(request, reply), returnTo: returnToOf(request), ...said }));
}

function startAgain(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return goTo(reply, pageAddress('/sign-in', parametersOf(request)));
}

/** Where one wants to get to. */
function returnToOf(request: FastifyRequest): string | undefined {
  return readReturnTo(readText(request.query, 'return_to'));
}

function parametersOf(request: FastifyRequest) {
  return { return_to: returnToOf(request), locale: readLocale(request) };
}

function returnAddress(request: FastifyRequest): string {
  return returnToOf(request) ?? inLanguage('/account', readLocale(request));
}
