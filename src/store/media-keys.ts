import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { MediaKeyRow } from '../model/media-key.ts';

/** A row with its sealed material. */
export interface SealedMediaKeyRow extends MediaKeyRow {
  key: Buffer;
  previous_key: Buffer | null;
}

const shown = `id, merchant_id, livemode, name, own_product_id, key_fingerprint, previous_key_fingerprint,
  browser_delivery, metadata, created_at, updated_at,
  array(select l.product_id from media_key_products l where l.media_key_id = media_keys.id
         order by l.created_at, l.product_id) as product_ids`;
const inScope = 'id = $1 and merchant_id = $2 and livemode = $3';

const insert = statement(
  'media_keys_insert',
  `insert into media_keys (id, merchant_id, livemode, name, own_product_id, key, key_fingerprint, browser_delivery,
                           metadata, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) on conflict (own_product_id) do nothing`,
);
const find = statement('media_keys_find', `select ${shown} from media_keys where ${inScope}`);
const lock = statement(
  'media_keys_lock',
  `select ${shown}, key, previous_key from media_keys where ${inScope} for update`,
);
const findSealed = statement(
  'media_keys_find_sealed',
  `select ${shown}, key, previous_key from media_keys where ${inScope}`,
);
const findOwn = statement(
  'media_keys_find_own',
  `select ${shown}, key, previous_key from media_keys
    where own_product_id = $1 and merchant_id = $2 and livemode = $3`,
);
const findLinked = statement(
  'media_keys_find_linked',
  `select ${shown}, key, previous_key from media_keys
    where ${inScope} and exists (select from media_key_products l where l.media_key_id = media_keys.id and l.product_id = $4)`,
);
const write = statement(
  'media_keys_write',
  `update media_keys set key = $2, key_fingerprint = $3, previous_key = $4, previous_key_fingerprint = $5,
          browser_delivery = $6, updated_at = $7 where id = $1`,
);
const remove = statement('media_keys_delete', `delete from media_keys where ${inScope}`);
const link = statement(
  'media_keys_link',
  `insert into media_key_products (media_key_id, product_id, created_at)
   select $1, product_id, $3 from unnest($2::uuid[]) as product_id on conflict do nothing`,
);
const unlink = statement(
  'media_keys_unlink',
  'delete from media_key_products where media_key_id = $1 and product_id = $2',
);
const touch = statement('media_keys_touch', 'update media_keys set updated_at = $2 where id = $1');

type NewMediaKey = Pick<
  SealedMediaKeyRow,
  | 'id'
  | 'merchant_id'
  | 'livemode'
  | 'name'
  | 'own_product_id'
  | 'key'
  | 'key_fingerprint'
  | 'browser_delivery'
  | 'metadata'
  | 'created_at'
>;

/** @returns false when the product has a key of its own already. */
export async function insertMediaKey(tx: Handle, row: NewMediaKey): Promise<boolean> {
  const { id, merchant_id, livemode, name, own_product_id, key, key_fingerprint, browser_delivery } = row;
  const metadata = JSON.stringify(row.metadata);
  const values = [id, merchant_id, livemode, name, own_product_id, key, key_fingerprint, browser_delivery, metadata];
  return (await tx.run(insert, [...values, row.created_at])) === 1;
}

export function findMediaKey(db: Handle, scope: Scope, id: string): Promise<MediaKeyRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

export function findSealedMediaKey(db: Handle, scope: Scope, id: string): Promise<SealedMediaKeyRow | undefined> {
  return db.maybeOne(findSealed, [id, scope.merchantId, scope.livemode]);
}

export function lockMediaKey(tx: Handle, scope: Scope, id: string): Promise<SealedMediaKeyRow | undefined> {
  return tx.maybeOne(lock, [id, scope.merchantId, scope.livemode]);
}

/** The key that a product has of its own. */
export function findOwnMediaKey(db: Handle, scope: Scope, productId: string): Promise<SealedMediaKeyRow | undefined> {
  return db.maybeOne(findOwn, [productId, scope.merchantId, scope.livemode]);
}

/** A key, provided that it is linked to the product. */
export function findLinkedMediaKey(
  db: Handle,
  scope: Scope,
  id: string,
  productId: string,
): Promise<SealedMediaKeyRow | undefined> {
  return db.maybeOne(findLinked, [id, scope.merchantId, scope.livemode, productId]);
}

/** Writes material and settings of a key that this transaction has locked. */
export async function writeMediaKey(tx: Handle, row: SealedMediaKeyRow): Promise<void> {
  const { id, key, key_fingerprint, previous_key, previous_key_fingerprint, browser_delivery, updated_at } = row;
  await tx.run(write, [id, key, key_fingerprint, previous_key, previous_key_fingerprint, browser_delivery, updated_at]);
}

/** With its links. @returns false when there was no such key. */
export async function deleteMediaKey(tx: Handle, scope: Scope, id: string): Promise<boolean> {
  return (await tx.run(remove, [id, scope.merchantId, scope.livemode])) === 1;
}

/** Both sides come from the caller's scope. Linking twice is harmless. */
export async function linkMediaKey(tx: Handle, id: string, productIds: readonly string[], now: Date): Promise<void> {
  await tx.run(link, [id, productIds, now]);
  await tx.run(touch, [id, now]);
}

/** @returns false when there was no such link. */
export async function unlinkMediaKey(tx: Handle, id: string, productId: string, now: Date): Promise<boolean> {
  const gone = (await tx.run(unlink, [id, productId])) === 1;
  if (gone) await tx.run(touch, [id, now]);
  return gone;
}

/** Newest first. */
export function listMediaKeys(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<MediaKeyRow>> {
  return listPage<MediaKeyRow>(
    db,
    {
      select: `select ${shown} from media_keys`,
      countFrom: 'from media_keys',
      where: 'merchant_id = $1 and livemode = $2',
      values: [scope.merchantId, scope.livemode],
      columns: { name: 'name', created_at: 'created_at' },
      orderBy: 'created_at desc, id desc',
    },
    filters,
    page,
  );
}
