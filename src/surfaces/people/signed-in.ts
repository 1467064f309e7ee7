import type { FastifyReply, FastifyRequest } from 'fastify';
import { findBrowserSignIn, type SignedIn } from '../../flows/browser-sign-in.ts';
import type { Parts } from '../../flows/parts.ts';
import { readLocale } from './page-setting.ts';
import { pageAddress } from './return-to.ts';
import { readSessionToken } from './session-cookie.ts';

/** Who is signed in in the browser of this request. @throws {NeedsHttps} 403. */
export async function findSignedInUser(parts: Parts, request: FastifyRequest): Promise<SignedIn | undefined> {
  const token = readSessionToken(request, parts.links.publicUrl);
  return token === undefined ? undefined : findBrowserSignIn(parts, token);
}

/**
 * The same for a page that needs somebody: when nobody is signed in the answer is the way to the sign-in page and back,
 * and the route returns the reply.
 * @param returnTo path to come back to; the request's own without it
 */
export async function findUserOrAskToSignIn(
  parts: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
  returnTo = request.url,
): Promise<SignedIn | undefined> {
  const signedIn = await findSignedInUser(parts, request);
  if (!signedIn) goTo(reply, pageAddress('/sign-in', { return_to: returnTo, locale: readLocale(request) }));
  return signedIn;
}

/** Answers with another page, so that loading it again does nothing again. */
export function goTo(reply: FastifyReply, address: string): FastifyReply {
  return reply.code(303).header('location', address).header('cache-control', 'no-store').send();
}
