import type { Command } from 'commander';
import type { Role } from '../model/user.ts';
import { listOpenInvitations } from '../store/user-links.ts';
import { listUsersOfMerchant } from '../store/users.ts';
import { chooseMerchant } from './choose-merchant.ts';
import { addCommand, withParts } from './command.ts';
import { readId } from './option-values.ts';
import { table } from './output.ts';

/** Somebody who has a place at a merchant, or is invited to one. */
interface Listed {
  id: string;
  email: string;
  name: string | null;
  role: Role;
  state: 'active' | 'locked' | 'invited';
  has_second_factor: boolean;
  /** When the lock or the invitation is over. */
  until: Date | null;
}

export function addListUsers(group: Command): void {
  addCommand(group, 'list', 'Show who has a place at a merchant, and who is invited', 'user list --merchant ID')
    .option('--merchant <id>', 'where; may be left out when there is one merchant', readId)
    .action(
      withParts<{ merchant?: string }>(async ({ parts }, options) => {
        const merchant = await chooseMerchant(parts.db, options.merchant);
        const now = parts.clock.now();
        const users = (await listUsersOfMerchant(parts.db, merchant.id)).map((user): Listed => {
          const isLocked = user.locked_until !== null && user.locked_until > now;
          return { ...user, state: isLocked ? 'locked' : 'active', until: isLocked ? user.locked_until : null };
        });
        const invited = (await listOpenInvitations(parts.db, merchant.id, now)).map(
          (one): Listed => ({ ...one, state: 'invited', has_second_factor: false, until: one.expires_at }),
        );
        const all = [...users, ...invited];
        return {
          json: { object: 'list', data: all.map((one) => json(one, merchant.id)) },
          text:
            all.length === 0
              ? `Nobody has a place at ${merchant.name} yet. Let somebody in with "satline user invite".`
              : table(['ROLE', 'STATE', 'SECOND FACTOR', 'E-MAIL', 'NAME'], all.map(cells)),
        };
      }),
    );
}

function cells({ role, state, until, has_second_factor, email, name }: Listed): string[] {
  return [
    role,
    until ? `${state} until ${until.toISOString()}` : state,
    has_second_factor ? 'on' : '',
    email,
    name ?? '',
  ];
}

function json({ id, email, name, role, state, has_second_factor, until }: Listed, merchantId: string) {
  return {
    object: 'user',
    id,
    email,
    name,
    merchant_id: merchantId,
    role,
    state,
    has_second_factor,
    until: until?.toISOString() ?? null,
  };
}
