import { dynamicStatement, type Handle, statement } from '../db/database.ts';
import type { MerchantRow, MerchantStatus } from '../model/merchant.ts';
import { orderSequence } from './orders.ts';

export const merchantColumns = [
  'id',
  'name',
  'email',
  'phone',
  'business_license',
  'status',
  'time_zone',
  'currency',
  'logo_url',
  'tip_options',
  'pos_theme',
  'pos_enabled',
  'privapaid_enabled',
  'checkout_theme',
  'checkout_accent_color',
  'allowed_origins',
  'conversion_fee_percent',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof MerchantRow)[];
const columns = merchantColumns.join(', ');

const insert = statement(
  'merchants_insert',
  `insert into merchants (id, name, email, status, time_zone, currency, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7)`,
);
const find = statement('merchants_find', `select ${columns} from merchants where id = $1`);
const findCurrency = statement('merchants_find_currency', 'select currency from merchants where id = $1');
const setStatus = statement('merchants_set_status', 'update merchants set status = $2, updated_at = $3 where id = $1');
// Weaker than `for update`, which would make every insert that refers to the merchant wait.
const lock = statement('merchants_lock', `select ${columns} from merchants where id = $1 for no key update`);
const update = statement(
  'merchants_update',
  `update merchants set name = $2, email = $3, phone = $4, business_license = $5, time_zone = $6, currency = $7,
          logo_url = $8, tip_options = $9, pos_theme = $10, pos_enabled = $11, privapaid_enabled = $12,
          checkout_theme = $13, checkout_accent_color = $14, allowed_origins = $15, conversion_fee_percent = $16,
          updated_at = $17
    where id = $1`,
);
const list = statement('merchants_list', `select ${columns} from merchants order by created_at, id`);
const anyRow = statement('merchants_any', 'select exists (select from merchants) as found');

interface NewMerchant {
  id: string;
  name: string;
  email: string | null;
  timeZone: string;
  currency: string;
  status: MerchantStatus;
  now: Date;
}

/** Adds a merchant with the two sequences that number its orders. */
export async function insertMerchant(tx: Handle, merchant: NewMerchant): Promise<void> {
  const { id, name, email, timeZone, currency, status, now } = merchant;
  await tx.run(insert, [id, name, email, status, timeZone, currency, now]);
  // The names hold a UUID made in code and nothing a person typed.
  const sequences = [true, false].map((livemode) => orderSequence({ merchantId: id, livemode }));
  await tx.run(dynamicStatement(sequences.map((name) => `create sequence ${name}`).join('; ')));
}

export function findMerchant(db: Handle, id: string): Promise<MerchantRow | undefined> {
  return db.maybeOne(find, [id]);
}

export async function findMerchantCurrency(db: Handle, id: string): Promise<string> {
  return (await db.maybeOne<{ currency: string }>(findCurrency, [id]))!.currency;
}

/** Locks the merchant's settings for this transaction. */
export function lockMerchant(tx: Handle, id: string): Promise<MerchantRow | undefined> {
  return tx.maybeOne(lock, [id]);
}

/** Writes every setting of a merchant that this transaction has locked. */
export async function updateMerchant(tx: Handle, row: MerchantRow): Promise<void> {
  await tx.run(update, [
    row.id,
    row.name,
    row.email,
    row.phone,
    row.business_license,
    row.time_zone,
    row.currency,
    row.logo_url,
    JSON.stringify(row.tip_options),
    row.pos_theme,
    row.pos_enabled,
    row.privapaid_enabled,
    row.checkout_theme,
    row.checkout_accent_color,
    JSON.stringify(row.allowed_origins),
    row.conversion_fee_percent,
    row.updated_at,
  ]);
}

/** All merchants of this installation; for the command line. */
export function listMerchantsForOperator(db: Handle): Promise<MerchantRow[]> {
  return db.many(list);
}

export async function hasMerchants(db: Handle): Promise<boolean> {
  return (await db.maybeOne<{ found: boolean }>(anyRow))!.found;
}

/** For the operator: whether a merchant may use the API. */
export async function setMerchantStatus(
  db: Handle,
  id: string,
  status: MerchantRow['status'],
  now: Date,
): Promise<void> {
  await db.run(setStatus, [id, status, now]);
}
