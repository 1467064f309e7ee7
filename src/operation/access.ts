import type { Caller, OauthScope } from '../kernel/context.ts';
import { AppError } from '../kernel/errors.ts';
import type { Access, Operation } from './operation.ts';

/** What of an operation decides about who may call it. */
export type Guarded = Pick<Operation, 'name' | 'access'>;

/** @throws {AppError} 401 without a credential, 403 when this one may not do it. */
export function checkAccess({ name, access }: Guarded, caller: Caller | undefined): Caller {
  if (!caller) {
    throw new AppError('missing_token', 'Send your API key in the header "Authorization: Bearer <key>"');
  }
  const refusal = refusalOf({ name, access }, caller);
  if (refusal) throw new AppError('forbidden', refusal);
  if (caller.merchantStatus !== 'active' && !access.whileInactive) {
    throw new AppError('forbidden', `This merchant is ${caller.merchantStatus}; it cannot use the API now`);
  }
  return caller;
}

/** Why this kind of credential, with these rights, may not make such a call at all; the merchant's status aside. */
export function refusalOf({ name, access }: Guarded, caller: Caller): string | undefined {
  if (caller.allowedTools && !caller.allowedTools.includes(name)) {
    return `This key is limited to some tools, and ${name} is none of them`;
  }
  const { permission } = access;
  if (caller.kind === 'oauth') {
    const refusal = oauthRefusalOf(access, caller);
    if (refusal) return refusal;
  } else {
    if (caller.kind === 'publishable' && !access.publishable) {
      return 'A publishable key cannot do this; use a secret key on your server';
    }
    if (permission && caller.permissions !== 'full' && !caller.permissions.includes(permission)) {
      return `This key lacks the permission ${permission}`;
    }
  }
  return access.testOnly && caller.livemode ? 'Only a test key can do this' : undefined;
}

function oauthRefusalOf(access: Access, { oauthScopes }: Caller): string | undefined {
  const needed = oauthScopeOf(access);
  if (!needed) return 'A connected assistant may only work with the catalog and payment links; this needs a secret key';
  return oauthScopes?.includes(needed) ? undefined : `This connection was not allowed the scope ${needed}`;
}

/** What an OAuth connection must be allowed for it; undefined: none may do it. */
function oauthScopeOf({ permission, oauthScope }: Access): OauthScope | undefined {
  return oauthScope ?? (permission?.startsWith('catalog:') ? 'catalog' : undefined);
}
