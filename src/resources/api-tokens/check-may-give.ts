import type { Permission } from '../../kernel/context.ts';
import { AppError } from '../../kernel/errors.ts';
import type { Call } from '../../operation/operation.ts';

/** Nobody makes a key that may do more than their own. @param asked null: everything. @throws {AppError} 403 */
export function checkMayGive({ caller }: Call, asked: readonly Permission[] | null): void {
  const own = caller.permissions;
  if (own === 'full') return;
  if (asked === null || asked.some((permission) => !own.includes(permission))) {
    throw new AppError('forbidden', 'A token can only be given permissions that this token has itself; name them');
  }
}
