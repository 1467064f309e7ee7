import { type Handle, statement } from '../db/database.ts';
import type { Membership, Role, UserRow } from '../model/user.ts';

const columns = `id, email, name, password_hash, failed_count, locked_until, created_at,
  exists (select from second_factors f where f.user_id = users.id and f.confirmed_at is not null) as has_second_factor`;

const insert = statement(
  'users_insert',
  `insert into users (id, email, name, password_hash, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)`,
);
const findByEmail = statement('users_find_by_email', `select ${columns} from users where lower(email) = lower($1)`);
const findById = statement('users_find', `select ${columns} from users where id = $1`);
const lock = statement('users_lock', 'select from users where id = $1 for no key update');
const setPassword = statement(
  'users_set_password',
  `update users set password_hash = $2, failed_count = 0, locked_until = null, updated_at = $3 where id = $1`,
);
// One statement, so that parallel guesses are all counted. Nobody waits for the disk: that would tell how long an address
// takes that has an account, and a guess that a crash makes us forget helps nobody.
const countFailure = statement(
  'users_count_failure',
  `with unhurried as materialized (select set_config('synchronous_commit', 'off', true))
   update users set failed_count = case when failed_count + 1 >= $2 then 0 else failed_count + 1 end,
          locked_until = case when failed_count + 1 >= $2 then $3 else locked_until end
     from unhurried where id = $1`,
);
const resetFailures = statement(
  'users_reset_failures',
  `update users set failed_count = 0, locked_until = null where id = $1 and (failed_count > 0 or locked_until is not null)`,
);
const addMembership = statement(
  'memberships_add',
  `insert into memberships (user_id, merchant_id, role, created_at) values ($1, $2, $3, $4)
   on conflict (user_id, merchant_id) do update set role = excluded.role`,
);
const removeMembership = statement(
  'memberships_remove',
  'delete from memberships where user_id = $1 and merchant_id = $2',
);
const listMemberships = statement(
  'memberships_list',
  `select s.merchant_id, s.role, m.name, m.logo_url, m.currency, m.status
     from memberships s join merchants m on m.id = s.merchant_id where s.user_id = $1 order by s.created_at, m.id`,
);
const listOfMerchant = statement(
  'memberships_list_of_merchant',
  `select u.id, u.email, u.name, s.role, u.locked_until, u.created_at,
          exists (select from second_factors f where f.user_id = u.id and f.confirmed_at is not null) as has_second_factor
     from memberships s join users u on u.id = s.user_id where s.merchant_id = $1 order by u.created_at, u.id`,
);

interface NewUser {
  id: string;
  email: string;
  name: string | null;
  passwordHash: string | null;
  now: Date;
}

export async function insertUser(tx: Handle, { id, email, name, passwordHash, now }: NewUser): Promise<void> {
  await tx.run(insert, [id, email, name, passwordHash, now]);
}

/** Upper and lower case alike. */
export function findUserByEmail(db: Handle, email: string): Promise<UserRow | undefined> {
  return db.maybeOne(findByEmail, [email]);
}

export function findUser(db: Handle, id: string): Promise<UserRow | undefined> {
  return db.maybeOne(findById, [id]);
}

/** Locks an account to the end of the transaction: whoever changes how it is opened, or by whom, comes after. */
export async function lockUser(tx: Handle, id: string): Promise<UserRow | undefined> {
  await tx.maybeOne(lock, [id]);
  // Read when it is ours: a statement that waited sees other tables, such as that of second factors, as they were before.
  return tx.maybeOne(findById, [id]);
}

export async function setUserPassword(tx: Handle, id: string, passwordHash: string, now: Date): Promise<void> {
  await tx.run(setPassword, [id, passwordHash, now]);
}

/** One more wrong password; with the `most`th in a row the account is locked until `lockedUntil`. */
export async function countWrongPassword(db: Handle, id: string, most: number, lockedUntil: Date): Promise<void> {
  await db.run(countFailure, [id, most, lockedUntil]);
}

export async function resetWrongPasswords(db: Handle, id: string): Promise<void> {
  await db.run(resetFailures, [id]);
}

/** Gives somebody a place at a merchant, or another role there. */
export async function putMembership(
  tx: Handle,
  userId: string,
  merchantId: string,
  role: Role,
  now: Date,
): Promise<void> {
  await tx.run(addMembership, [userId, merchantId, role, now]);
}

export async function deleteMembership(tx: Handle, userId: string, merchantId: string): Promise<boolean> {
  return (await tx.run(removeMembership, [userId, merchantId])) === 1;
}

/** Where somebody works, oldest first. */
export function listMembershipsOf(db: Handle, userId: string): Promise<Membership[]> {
  return db.many(listMemberships, [userId]);
}

/** Who works for a merchant, for the operator. */
export function listUsersOfMerchant(
  db: Handle,
  merchantId: string,
): Promise<
  (Pick<UserRow, 'id' | 'email' | 'name' | 'locked_until' | 'created_at' | 'has_second_factor'> & { role: Role })[]
> {
  return db.many(listOfMerchant, [merchantId]);
}
