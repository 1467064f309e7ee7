import type { Permission } from '../../kernel/context.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Call } from '../../operation/operation.ts';

/**
 * Nobody makes a key that may do more than their own, or lifts what a key is held to.
 * @param asked null: everything.
 * @throws {AppError} 403
 */
export function checkMayGive(
  { caller }: Call,
  kind: 'secret' | 'publishable',
  asked: readonly Permission[] | null,
): void {
  // Two keys within the same limits would be twice the day.
  if (caller.allowance) throw new AppError('forbidden', 'A token with a largest amount cannot make or change tokens');
  const own = caller.permissions;
  if (kind === 'publishable' || own === 'full') return;
  if (asked === null || asked.some((permission) => !own.includes(permission))) {
    throw new AppError('forbidden', 'A token can only be given permissions that this token has itself; name them');
  }
}
