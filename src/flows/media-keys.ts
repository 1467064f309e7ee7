import type { Handle } from '../db/database.ts';
import { recordEvents } from '../events/outbox.ts';
import type { Scope } from '../kernel/context.ts';
import { AppError, notFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Sealer } from '../kernel/secrets.ts';
import { fingerprintOf, type MediaKeyRow, newMediaKeyText, toMediaKey } from '../model/media-key.ts';
import type { ProductRow } from '../model/product.ts';
import { sealedPlace } from '../model/sealed-columns.ts';
import {
  findOwnMediaKey,
  insertMediaKey,
  linkMediaKey,
  lockMediaKey,
  type SealedMediaKeyRow,
  writeMediaKey,
} from '../store/media-keys.ts';
import { findProducts } from '../store/products.ts';

/** Key material, for the few answers that show it. */
export function openMediaKey(sealer: Sealer, row: SealedMediaKeyRow) {
  const previous = row.previous_key;
  return {
    object: 'media_key_secret' as const,
    id: row.id,
    key: sealer.open(row.key, placeOf(row.id, 'key')).toString(),
    key_fingerprint: row.key_fingerprint,
    previous_key: previous && sealer.open(previous, placeOf(row.id, 'previous_key')).toString(),
    previous_key_fingerprint: row.previous_key_fingerprint,
  };
}

const placeOf = (id: string, column: 'key' | 'previous_key') => sealedPlace(`media_keys.${column}`, id);

interface NewMediaKeyRequest {
  name: string | null;
  browserDelivery: boolean;
  metadata?: Record<string, unknown>;
  products: readonly ProductRow[];
  ownProductId?: string;
}

/** Makes a key and links its products, in the caller's transaction. @returns undefined when the product has its own key already. */
export async function makeMediaKey(
  tx: Handle,
  sealer: Sealer,
  scope: Scope,
  request: NewMediaKeyRequest,
  now: Date,
): Promise<SealedMediaKeyRow | undefined> {
  const id = newId();
  const key = newMediaKeyText();
  const row = {
    id,
    merchant_id: scope.merchantId,
    livemode: scope.livemode,
    name: request.name,
    own_product_id: request.ownProductId ?? null,
    key: sealer.seal(key, placeOf(id, 'key')),
    key_fingerprint: fingerprintOf(key),
    browser_delivery: request.browserDelivery,
    metadata: request.metadata ?? {},
    created_at: now,
  };
  if (!(await insertMediaKey(tx, row))) return undefined;
  const productIds = [...new Set(request.products.map((product) => product.id))];
  if (productIds.length > 0) await linkMediaKey(tx, id, productIds, now);
  const nothingBefore = { previous_key: null, previous_key_fingerprint: null };
  return { ...row, ...nothingBefore, product_ids: productIds, updated_at: now };
}

/** Products by UUID or slug, in one read. @throws {AppError} 404 when one is unknown or somebody else's; nothing was changed then. */
export async function readProducts(db: Handle, scope: Scope, idsOrSlugs: readonly string[]): Promise<ProductRow[]> {
  const found = await findProducts(db, scope, idsOrSlugs);
  return idsOrSlugs.map((idOrSlug) => {
    const product = found.get(idOrSlug);
    if (!product) throw notFound('Product');
    return product;
  });
}

/** A key that nobody else changes or removes before this transaction ends. @throws {AppError} 404 */
export async function holdMediaKey(tx: Handle, scope: Scope, id: string): Promise<SealedMediaKeyRow> {
  const row = await lockMediaKey(tx, scope, id);
  if (!row) throw notFound('Media key');
  return row;
}

/** The product's own key, made on first use. */
export async function requireOwnMediaKey(
  tx: Handle,
  sealer: Sealer,
  scope: Scope,
  product: ProductRow,
  now: Date,
): Promise<SealedMediaKeyRow> {
  const known = await findOwnMediaKey(tx, scope, product.id);
  if (known) return known;
  const request = { name: product.name, browserDelivery: true, products: [product], ownProductId: product.id };
  return (await makeMediaKey(tx, sealer, scope, request, now)) ?? (await findOwnMediaKey(tx, scope, product.id))!;
}

/**
 * A new key takes the place of the old one, which is kept until it is cleared.
 * @param kind the event that tells of it. @throws {AppError} 404, 409 while an older one is still kept.
 */
export async function rotateMediaKey(
  tx: Handle,
  sealer: Sealer,
  scope: Scope,
  id: string,
  now: Date,
  event: { kind: 'media_key.rotated' | 'product.key_rotated'; subjectId: string },
): Promise<SealedMediaKeyRow> {
  const before = await holdMediaKey(tx, scope, id);
  if (before.previous_key) {
    throw new AppError('conflict', 'The key before this one is still kept; clear it before rotating again');
  }
  const key = newMediaKeyText();
  const row: SealedMediaKeyRow = {
    ...before,
    key: sealer.seal(key, placeOf(id, 'key')),
    key_fingerprint: fingerprintOf(key),
    previous_key: sealer.seal(sealer.open(before.key, placeOf(id, 'key')), placeOf(id, 'previous_key')),
    previous_key_fingerprint: before.key_fingerprint,
    updated_at: now,
  };
  await writeMediaKey(tx, row);
  await tell(tx, scope, row, event, now);
  return row;
}

/** Drops the old key. Harmless when none is kept: nothing happens, nobody is told. @throws {AppError} 404 */
export async function clearOldMediaKey(tx: Handle, scope: Scope, id: string, now: Date): Promise<MediaKeyRow> {
  const before = await holdMediaKey(tx, scope, id);
  if (!before.previous_key) return before;
  const row = { ...before, previous_key: null, previous_key_fingerprint: null, updated_at: now };
  await writeMediaKey(tx, row);
  await tell(tx, scope, row, { kind: 'media_key.old_key_cleared', subjectId: id }, now);
  return row;
}

/** Takes a key that the merchant brings, in place of the present one. @throws {AppError} 404 */
export async function changeMediaKey(
  tx: Handle,
  sealer: Sealer,
  scope: Scope,
  id: string,
  change: { browserDelivery: boolean; key?: string | undefined },
  now: Date,
): Promise<MediaKeyRow> {
  const before = await holdMediaKey(tx, scope, id);
  const material = change.key
    ? { key: sealer.seal(change.key, placeOf(id, 'key')), key_fingerprint: fingerprintOf(change.key) }
    : {};
  const row = { ...before, ...material, browser_delivery: change.browserDelivery, updated_at: now };
  await writeMediaKey(tx, row);
  return row;
}

async function tell(
  tx: Handle,
  scope: Scope,
  row: MediaKeyRow,
  {
    kind,
    subjectId,
  }: { kind: 'media_key.rotated' | 'product.key_rotated' | 'media_key.old_key_cleared'; subjectId: string },
  now: Date,
): Promise<void> {
  await recordEvents(tx, scope, [{ kind, subjectId, data: toMediaKey(row), dedupe: newId() }], now);
}
