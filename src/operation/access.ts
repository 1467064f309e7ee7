import type { Caller } from '../kernel/context.ts';
import { AppError } from '../kernel/errors.ts';
import type { Access } from './operation.ts';

/** @throws {AppError} 401 without a credential, 403 when this one may not do it. */
export function checkAccess(access: Access, caller: Caller | undefined): Caller {
  if (!caller) {
    throw new AppError('missing_token', 'Send your API key in the header "Authorization: Bearer <key>"');
  }
  if (caller.kind === 'publishable' && !access.publishable) {
    throw new AppError('forbidden', 'A publishable key cannot do this; use a secret key on your server');
  }
  const { permission } = access;
  if (permission && caller.permissions !== 'full' && !caller.permissions.includes(permission)) {
    throw new AppError('forbidden', `This key lacks the permission ${permission}`);
  }
  if (caller.merchantStatus !== 'active' && !access.whileInactive) {
    throw new AppError('forbidden', `This merchant is ${caller.merchantStatus}; it cannot use the API now`);
  }
  if (access.testOnly && caller.livemode) {
    throw new AppError('forbidden', 'Only a test key can do this');
  }
  return caller;
}
