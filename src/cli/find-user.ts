import type { Handle } from '../db/database.ts';
import type { UserRow } from '../model/user.ts';
import { findUserByEmail } from '../store/users.ts';
import { CliFailure } from './failure.ts';

/** Of any merchant: whoever runs commands runs the installation. @throws {CliFailure} */
export async function requireUserForOperator(db: Handle, email: string): Promise<UserRow> {
  const user = await findUserByEmail(db, email);
  if (user) return user;
  throw new CliFailure(
    `Nobody signs in as ${email}. "satline user list" shows who does; "satline user invite" lets somebody in.`,
  );
}
