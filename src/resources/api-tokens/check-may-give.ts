import { isRangeWithin } from '../../auth/ip-ranges.ts';
import type { Caller } from '../../kernel/context.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Call } from '../../operation/operation.ts';
import type { ApiKeyRow } from '../../store/api-keys.ts';

/** What a key would be able to do; null: everything, from everywhere, as often as the plan allows. */
type Given = Pick<ApiKeyRow, 'kind' | 'permissions' | 'ip_ranges' | 'rpm_limit'>;

/**
 * Nobody makes a key that may do more than their own, or lifts what a key is held to.
 * @param given as the key will be.
 * @throws {AppError} 403
 */
export function checkMayGive({ caller }: Call, given: Given): void {
  // Two keys within the same limits would be twice the day.
  if (caller.allowance) throw new AppError('forbidden', 'A token with a largest amount cannot make or change tokens');
  if (!mayGivePermissions(caller, given)) {
    throw new AppError('forbidden', 'A token can only be given permissions that this token has itself; name them');
  }
  const { ipRanges, rpmLimit } = caller;
  if (ipRanges && !given.ip_ranges?.every((range) => isRangeWithin(range, ipRanges))) {
    throw new AppError('forbidden', 'This token is bound to addresses: ip_ranges must lie within its own');
  }
  if (rpmLimit !== undefined && (given.rpm_limit === null || given.rpm_limit > rpmLimit)) {
    throw new AppError('forbidden', `This token is held to ${rpmLimit} requests a minute: rpm_limit must be no more`);
  }
}

function mayGivePermissions({ permissions: own }: Caller, { kind, permissions: asked }: Given): boolean {
  if (kind === 'publishable' || own === 'full') return true;
  return asked?.every((permission) => own.includes(permission)) ?? false;
}
