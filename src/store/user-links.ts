import { type Handle, statement } from '../db/database.ts';
import type { Role } from '../model/user.ts';
import type { OpenLink, UserLinkKind } from '../model/user-link.ts';

const insert = statement(
  'user_links_insert',
  `insert into user_links (id, user_id, kind, token_hash, merchant_id, role, expires_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const findOpen = statement(
  'user_links_find_open',
  `select l.id, l.user_id, u.email, u.password_hash is not null as has_password, l.expires_at, l.role, l.merchant_id,
          m.name as merchant_name, m.logo_url
     from user_links l join users u on u.id = l.user_id left join merchants m on m.id = l.merchant_id
    where l.token_hash = $1 and l.kind = $2 and l.ended_at is null and l.expires_at > $3`,
);
// Whoever comes first has it.
const take = statement(
  'user_links_take',
  'update user_links set ended_at = $2 where id = $1 and ended_at is null and expires_at > $2',
);
const endPasswordLinks = statement(
  'user_links_end_password_links',
  `update user_links set ended_at = $2 where user_id = $1 and kind = 'password' and ended_at is null`,
);
const endInvitations = statement(
  'user_links_end_invitations',
  'update user_links set ended_at = $3 where user_id = $1 and merchant_id = $2 and ended_at is null',
);
const listInvitations = statement(
  'user_links_list_invitations',
  `select u.id, u.email, u.name, l.role, l.expires_at, l.created_at
     from user_links l join users u on u.id = l.user_id
    where l.merchant_id = $1 and l.ended_at is null and l.expires_at > $2 order by l.created_at, l.id`,
);
const removeOld = statement('user_links_delete_old', 'delete from user_links where expires_at < $1');

interface NewUserLink {
  id: string;
  userId: string;
  kind: UserLinkKind;
  tokenHash: Buffer;
  /** What an invitation offers. */
  place: { merchantId: string; role: Role } | undefined;
  expiresAt: Date;
  now: Date;
}

export async function insertUserLink(tx: Handle, link: NewUserLink): Promise<void> {
  const { id, userId, kind, tokenHash, place, expiresAt, now } = link;
  await tx.run(insert, [id, userId, kind, tokenHash, place?.merchantId ?? null, place?.role ?? null, expiresAt, now]);
}

/** The link with this token hash, while it can be used. */
export function findOpenLink(
  db: Handle,
  kind: UserLinkKind,
  tokenHash: Buffer,
  now: Date,
): Promise<OpenLink | undefined> {
  return db.maybeOne(findOpen, [tokenHash, kind, now]);
}

/** Uses up a link. @returns false when it was used, withdrawn or over before. */
export async function takeLink(tx: Handle, id: string, now: Date): Promise<boolean> {
  return (await tx.run(take, [id, now])) === 1;
}

/** Ends the links with which somebody could set a password. */
export async function endPasswordLinksOf(tx: Handle, userId: string, now: Date): Promise<void> {
  await tx.run(endPasswordLinks, [userId, now]);
}

/** Withdraws what a merchant has offered somebody. @returns how many invitations were open. */
export function endInvitationsOf(tx: Handle, userId: string, merchantId: string, now: Date): Promise<number> {
  return tx.run(endInvitations, [userId, merchantId, now]);
}

/** Who was invited by a merchant and has not accepted yet, for the operator. */
export function listOpenInvitations(
  db: Handle,
  merchantId: string,
  now: Date,
): Promise<{ id: string; email: string; name: string | null; role: Role; expires_at: Date; created_at: Date }[]> {
  return db.many(listInvitations, [merchantId, now]);
}

/** Removes links that were over before. @returns how many. */
export function deleteOldLinks(db: Handle, before: Date): Promise<number> {
  return db.run(removeOld, [before]);
}
