import { createHash, randomBytes } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { livemode, metadata, nullable, objectName, timestamp, uuid } from './fields.ts';

/** A media key without its material: what the API shows of it. */
export interface MediaKeyRow {
  id: string;
  merchant_id: string;
  livemode: boolean;
  name: string | null;
  own_product_id: string | null;
  key_fingerprint: string;
  previous_key_fingerprint: string | null;
  browser_delivery: boolean;
  product_ids: string[];
  metadata: Record<string, unknown>;
  created_at: Date;
  updated_at: Date;
}

/** How many products one call may link. */
export const mostLinkedProducts = 100;

export const mediaKeySchema = Type.Object(
  {
    object: objectName('media_key'),
    livemode,
    id: uuid('Media key'),
    merchant_id: uuid('Merchant'),
    name: nullable(Type.String()),
    key_fingerprint: Type.String({ description: 'SHA-256 of the key’s text, lower-case hex' }),
    rotation_pending: Type.Boolean({ description: 'Whether the key before this one is still kept' }),
    browser_delivery: Type.Boolean({ description: 'Whether browsers may be served what it opens' }),
    product_ids: Type.Array(uuid('Product')),
    metadata,
    created_at: timestamp('When it was made'),
    updated_at: timestamp('When it last changed'),
  },
  { description: 'A media key; its material is never shown here' },
);
type MediaKey = Static<typeof mediaKeySchema>;

export const mediaKeySecretSchema = Type.Object(
  {
    object: objectName('media_key_secret'),
    id: uuid('Media key'),
    key: Type.String({ description: 'AES-256-GCM key: 32 bytes as base64url without padding' }),
    key_fingerprint: Type.String(),
    previous_key: nullable(Type.String()),
    previous_key_fingerprint: nullable(Type.String()),
  },
  { description: 'Key material' },
);

export function toMediaKey(row: MediaKeyRow): MediaKey {
  return {
    object: 'media_key',
    livemode: row.livemode,
    id: row.id,
    merchant_id: row.merchant_id,
    name: row.name,
    key_fingerprint: row.key_fingerprint,
    rotation_pending: row.previous_key_fingerprint !== null,
    browser_delivery: row.browser_delivery,
    product_ids: row.product_ids,
    metadata: row.metadata,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** 32 random bytes as base64url without padding, 43 characters. */
export function newMediaKeyText(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether `text` is a key somebody may bring: base64url of exactly 32 bytes, written as we would. */
export function isMediaKeyText(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;
}

/** What shows of a key in place of its material: lower-case hex SHA-256 of its text. */
export function fingerprintOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
