import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SignedIn } from '../../flows/browser-sign-in.ts';
import type { Parts } from '../../flows/parts.ts';
import {
  beginSetUp,
  confirmSetUp,
  type Proof,
  readSecondFactor,
  readSetUp,
  renewRecoveryCodes,
  turnOffSecondFactor,
} from '../../flows/second-factor.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { inLanguage } from '../pages/language.ts';
import { beginPage, readLocale, readText, sourceOf } from './page-setting.ts';
import type { Failure } from './pages/refusal-page.tsx';
import { renderRecoveryCodesPage, renderSecondFactorPage } from './pages/second-factor-page.tsx';
import { readFailure } from './show-failure.ts';
import { findUserOrAskToSignIn, goTo } from './signed-in.ts';
import { secondFactorOffLetter, secondFactorOnLetter, wordsOf } from './words.ts';

const page = '/account/second-factor';

type Answer = (signedIn: SignedIn, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** The page of the second factor, and what its forms do. */
export function addSecondFactorPages(app: FastifyInstance, parts: Parts): void {
  app.get(page, async (request, reply) => {
    const signedIn = await findUserOrAskToSignIn(parts, request, reply, addressOf(request));
    return signedIn ? show(signedIn, request, reply, {}) : reply;
  });
  // The page that a form with a fault has left open is loaded again, or in another language.
  for (const path of [`${page}/confirm`, `${page}/recovery-codes`, `${page}/off`]) {
    app.get(path, (request, reply) => goTo(reply, addressOf(request)));
  }

  addForm(page, 'wrongPassword', async (signedIn, request, reply) => {
    await beginSetUp(parts, signedIn, readProof(request));
    return goTo(reply, addressOf(request));
  });

  addForm(`${page}/confirm`, 'wrongCode', async (signedIn, request, reply) => {
    // Sent twice: the recovery codes were in the first answer, and can be had anew on the page.
    const { isOn } = await readSecondFactor(parts, signedIn.user.id);
    if (isOn) return goTo(reply, addressOf(request));
    const setting = beginPage(request, reply);
    const letter = secondFactorOnLetter(setting.language);
    const codes = await confirmSetUp(parts, signedIn, readProof(request), letter);
    return reply.send(renderRecoveryCodesPage(codes, setting));
  });

  addForm(`${page}/recovery-codes`, 'wrongProof', async (signedIn, request, reply) => {
    const codes = await renewRecoveryCodes(parts, signedIn, readProof(request));
    return reply.send(renderRecoveryCodesPage(codes, beginPage(request, reply)));
  });

  addForm(`${page}/off`, 'wrongProof', async (signedIn, request, reply) => {
    const letter = secondFactorOffLetter(beginPage(request, reply).language);
    await turnOffSecondFactor(parts, signedIn, readProof(request), letter);
    return goTo(reply, inLanguage('/account', readLocale(request)));
  });

  /** @param wrong the sentence for passwords and codes that are not right */
  function addForm(path: string, wrong: 'wrongPassword' | 'wrongCode' | 'wrongProof', answer: Answer): void {
    refuseOtherMethods(app, path, new Set(['GET', 'HEAD', 'POST']));
    app.post(path, async (request, reply) => {
      const signedIn = await findUserOrAskToSignIn(parts, request, reply, addressOf(request));
      if (!signedIn) return reply;
      try {
        return await answer(signedIn, request, reply);
      } catch (error) {
        const { language } = beginPage(request, reply);
        const failure = readFailure(error, request, reply, { wrong: wordsOf(language)[wrong], language });
        return show(signedIn, request, reply, failure);
      }
    });
  }

  async function show(
    signedIn: SignedIn,
    request: FastifyRequest,
    reply: FastifyReply,
    failure: Failure,
  ): Promise<FastifyReply> {
    const status = await readSecondFactor(parts, signedIn.user.id);
    const setUp = await readSetUp(parts, signedIn);
    const { email } = signedIn.user;
    return reply.send(renderSecondFactorPage({ ...beginPage(request, reply), status, setUp, email, ...failure }));
  }
}

const addressOf = (request: FastifyRequest): string => inLanguage(page, readLocale(request));

function readProof(request: FastifyRequest): Proof {
  const [password = '', code = ''] = ['password', 'code'].map((name) => readText(request.body, name));
  return { password, code, ...sourceOf(request) };
}
