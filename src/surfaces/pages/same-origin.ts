import type { FastifyRequest } from 'fastify';
import { AppError } from '../../kernel/errors.ts';

/** Something that did not come from a page of ours. */
export class ForeignForm extends AppError {
  constructor() {
    super('forbidden', 'This was not sent from a page of this service; open the page again and repeat it');
  }
}

/**
 * Refuses what another site makes a browser send, so that nobody is made to act, or to sign in as somebody else, by a page
 * of a stranger (Fetch Metadata; the Origin header, RFC 6454). A browser tells at least one of the two with every form, so
 * a request that has neither is refused as well.
 * @param ownAddress `PUBLIC_URL`; the host that the request itself names counts too
 * @throws {ForeignForm} 403.
 */
export function refuseForeignForms(request: FastifyRequest, ownAddress: string): void {
  if (request.method !== 'POST') return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  // `none`: the person did it, by loading a page again for instance.
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none';
  // `null` says nothing; only the other header can vouch then.
  const isOwnOrigin = origin === undefined || origin === 'null' ? site !== undefined : isOwn(origin);
  if (!isOwnSite || !isOwnOrigin) throw new ForeignForm();

  function isOwn(text: string): boolean {
    if (!URL.canParse(text)) return false;
    const sender = new URL(text);
    return sender.origin === new URL(ownAddress).origin || sender.host === request.host;
  }
}
