import { randomBytes } from 'node:crypto';
import { hashToken } from '../auth/hash-token.ts';
import type { Handle } from '../db/database.ts';
import { addSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { Secret } from '../kernel/secrets.ts';
import type { Role } from '../model/user.ts';
import { type OpenLink, type UserLinkKind, userLinkUrl } from '../model/user-link.ts';
import { findOpenLink, insertUserLink } from '../store/user-links.ts';
import type { Parts } from './parts.ts';

const tokenShape = /^[\w-]{43}$/;

/** A link that was made just now. Only its hash is kept, so this is the one time that it can be shown. */
export interface NewLink {
  readonly url: Secret;
  readonly expiresAt: Date;
}

/** Makes a link for somebody. */
export async function addUserLink(
  tx: Handle,
  { links }: Pick<Parts, 'links'>,
  link: {
    userId: string;
    kind: UserLinkKind;
    place?: { merchantId: string; role: Role };
    lifeSeconds: number;
    now: Date;
  },
): Promise<NewLink> {
  const { userId, kind, place, lifeSeconds, now } = link;
  const token = randomBytes(32).toString('base64url');
  const expiresAt = addSeconds(now, lifeSeconds);
  await insertUserLink(tx, { id: newId(), userId, kind, tokenHash: hashToken(token), place, expiresAt, now });
  return { url: new Secret(userLinkUrl(links.publicUrl, kind, token)), expiresAt };
}

/** What a token opens; undefined when it is unknown, used, withdrawn or over: nobody learns which. */
export async function readUserLink(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  kind: UserLinkKind,
  token: string,
): Promise<OpenLink | undefined> {
  return tokenShape.test(token) ? findOpenLink(db, kind, hashToken(token), clock.now()) : undefined;
}
