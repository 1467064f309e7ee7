import type { Role } from './user.ts';

/** What a link lets its holder do, once: take the place at a merchant that it offers, or set a new password. */
export type UserLinkKind = 'invitation' | 'password';

export const invitationSeconds = 7 * 24 * 3600;
/** Of a link that somebody asked for on a page. */
export const askedPasswordLinkSeconds = 3600;
/** How long a link for a new password lives when the operator hands it over, and knows to whom. */
export const givenPasswordLinkSeconds = 24 * 3600;

/** A link that can still be used, and whose account it belongs to. */
export interface OpenLink {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly has_password: boolean;
  readonly expires_at: Date;
  /** The place that is offered; null for a password link. */
  readonly role: Role | null;
  readonly merchant_id: string | null;
  readonly merchant_name: string | null;
  readonly logo_url: string | null;
}

const paths: Readonly<Record<UserLinkKind, string>> = { invitation: 'invitation', password: 'new-password' };

/** The address of a link. Whoever has it may act: it goes to one person and into no log. */
export function userLinkUrl(publicUrl: string, kind: UserLinkKind, token: string): string {
  return `${publicUrl}/${paths[kind]}/${token}`;
}
