import { hashPassword } from '../../src/auth/password.ts';
import { newId } from '../../src/kernel/ids.ts';
import type { Role } from '../../src/model/user.ts';
import { insertUser, putMembership } from '../../src/store/users.ts';
import type { TestApp, TestMerchant } from './app.ts';

let count = 0;
const password = 'correct horse battery staple';
/** Made once: hashing is slow on purpose. */
let passwordHash: Promise<string> | undefined;

/** Somebody with an account, and a place at each of the merchants. */
export async function addUser(app: TestApp, merchants: readonly TestMerchant[], role: Role = 'owner') {
  const id = newId();
  const email = `person-${++count}@example.com`;
  const now = app.clock.now();
  passwordHash ??= hashPassword(password);
  await insertUser(app.parts.db, { id, email, name: null, passwordHash: await passwordHash, now });
  for (const merchant of merchants) await putMembership(app.parts.db, id, merchant.id, role, now);
  return { id, email, password };
}
