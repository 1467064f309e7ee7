import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Interaction, Provider } from 'oidc-provider';
import type { SignedIn } from '../../flows/browser-sign-in.ts';
import { connectAssistant, listConnectable } from '../../flows/connect-assistant.ts';
import type { Parts } from '../../flows/parts.ts';
import { AppError } from '../../kernel/errors.ts';
import { protectedResource, readScopes } from '../../model/oauth-connection.ts';
import { refuseOtherMethods } from '../http/refuse-methods.ts';
import { beginPage, readText } from '../people/page-setting.ts';
import { servePeoplePages } from '../people/people-pages.ts';
import { findUserOrAskToSignIn, goTo } from '../people/signed-in.ts';
import { renderConsentPage, renderNoticePage } from './consent-page.tsx';
import { interactionPath } from './provider.ts';
import { targetOf } from './redirect-target.ts';
import { wordsOf } from './words.ts';

/** The page that asks whether an assistant may work for a merchant, and what its buttons do. */
export function addInteractionPages(app: FastifyInstance, parts: Parts, openProvider: () => Promise<Provider>): void {
  const path = `${interactionPath}/:uid`;
  // Together with a cookie of the browser it is the way into a half-done authorization.
  const options = { exposeHeadRoute: false, config: { secretInPath: true } } as const;

  servePeoplePages(app, parts, (pages) => {
    pages.get(path, options, async (request, reply) => {
      const asked = await findAsked(request, reply);
      if (!asked) return reply;
      const signedIn = await findUserOrAskToSignIn(parts, request, reply);
      if (!signedIn) return reply;
      return reply.send(
        renderConsentPage({
          // The client's address may lead on to an app of its own, and browsers check every step of the way.
          ...beginPage(request, reply, 'any'),
          clientName: asked.clientName,
          target: targetOf(asked.redirectUri),
          scopes: asked.scopes,
          email: signedIn.user.email,
          merchants: await listConnectable(parts, signedIn.user.id),
        }),
      );
    });

    pages.post(path, options, async (request, reply) => {
      const asked = await findAsked(request, reply);
      if (!asked) return reply;
      const signedIn = await findUserOrAskToSignIn(parts, request, reply);
      if (!signedIn) return reply;
      // Sent twice: the first answer stands.
      if (asked.interaction.result) return goTo(reply, asked.interaction.returnTo);
      const provider = await openProvider();
      const result =
        readText(request.body, 'answer') === 'allow'
          ? await agree(provider, asked, signedIn, request)
          : { error: 'access_denied', error_description: 'The person did not agree' };
      const options = { mergeWithLastSubmission: false };
      return goTo(reply, await provider.interactionResult(request.raw, reply.raw, result, options));
    });

    refuseOtherMethods(pages, path, new Set(['GET', 'POST']));
  });

  interface Asked {
    interaction: Interaction;
    clientId: string;
    clientName: string;
    redirectUri: string;
    scopes: ReturnType<typeof readScopes>;
  }

  /** What this browser is to be asked; undefined, with the answer sent, when that is over. */
  async function findAsked(request: FastifyRequest, reply: FastifyReply): Promise<Asked | undefined> {
    const provider = await openProvider();
    const interaction = await provider.interactionDetails(request.raw, reply.raw).catch((error) => {
      if ((error as Error).name === 'SessionNotFound') return undefined;
      throw error;
    });
    const { client_id: clientId, redirect_uri: redirectUri, scope } = interaction?.params ?? {};
    const client = await provider.Client.find(String(clientId));
    if (!interaction || !client || interaction.uid !== (request.params as { uid: string }).uid) {
      const setting = beginPage(request, reply);
      const words = wordsOf(setting.language);
      reply.code(410).send(renderNoticePage(words.over, words.overText, undefined, setting));
      return undefined;
    }
    return {
      interaction,
      clientId: client.clientId,
      clientName: client.clientName ?? '',
      redirectUri: String(redirectUri),
      scopes: readScopes(String(scope)),
    };
  }

  async function agree(provider: Provider, asked: Asked, { user, sessionId }: SignedIn, request: FastifyRequest) {
    const merchantId = readText(request.body, 'merchant');
    const mode = readText(request.body, 'mode');
    if (merchantId === undefined || (mode !== 'live' && mode !== 'test')) {
      throw new AppError('bad_request', 'Choose a merchant, and live or test data');
    }
    const connectionId = await connectAssistant(parts, {
      userId: user.id,
      sessionId,
      merchantId,
      livemode: mode === 'live',
      client: { id: asked.clientId, name: asked.clientName, redirectHost: targetOf(asked.redirectUri).name },
      scopes: asked.scopes,
      requestId: request.id,
    });
    // The grant has the connection's id: they end together.
    const grant = new provider.Grant({ accountId: user.id, clientId: asked.clientId });
    grant.jti = connectionId;
    grant.addResourceScope(protectedResource(parts.links.publicUrl), asked.scopes.join(' '));
    await grant.save();
    return { login: { accountId: user.id, remember: false }, consent: { grantId: connectionId } };
  }
}
