import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { livemode, nullable, objectName, oneOf, timestamp, uuid } from './fields.ts';

export const auditActors = ['api_token', 'oauth_connection', 'user', 'operator'] as const;

/** One change that somebody made. It names what was changed, and never holds what it was changed to. */
export interface AuditEntry {
  id: string;
  merchant_id: string;
  /** Counts up by one from 1 for each merchant. */
  number: number;
  /** null: of no mode. */
  livemode: boolean | null;
  /** An API token, a connected assistant, a person who signed in or has a link, or whoever has the command line. */
  actor: (typeof auditActors)[number];
  api_key_id: string | null;
  /** The person, or whose device it was. */
  user_id: string | null;
  /** The operation's name. */
  action: string;
  subject_id: string | null;
  request_id: string | null;
  created_at: Date;
}

export interface AuditRow extends AuditEntry {
  hash: Buffer;
}

/** SHA-256 over an entry and the hash of the one before; null for the first. */
export function hashAuditEntry(entry: AuditEntry, previous: Buffer | null): Buffer {
  const covered = [
    previous?.toString('hex') ?? null,
    entry.id,
    entry.merchant_id,
    entry.number,
    entry.livemode,
    entry.actor,
    entry.api_key_id,
    entry.user_id,
    entry.action,
    entry.subject_id,
    entry.request_id,
    entry.created_at.toISOString(),
  ];
  return createHash('sha256').update(JSON.stringify(covered)).digest();
}

export const auditEntrySchema = Type.Object(
  {
    object: objectName('audit_entry'),
    livemode,
    id: uuid('Entry'),
    number: Type.Integer({ description: 'Counts up by one; shared by both modes' }),
    action: Type.String({ description: 'The operation, such as update_webhook' }),
    actor: oneOf(auditActors),
    api_token_id: nullable(uuid('API token')),
    user_id: nullable(uuid('The person, or whose device it was')),
    subject_id: nullable(Type.String({ description: 'What was changed' })),
    request_id: nullable(Type.String()),
    hash: Type.String({ description: 'SHA-256 over this entry and the hash of the one before' }),
    created_at: timestamp('When it was changed'),
  },
  { description: 'A change that somebody made' },
);

/** Entries of no mode show in both. */
export function toAuditEntry(row: AuditRow, mode: boolean): Static<typeof auditEntrySchema> {
  return {
    object: 'audit_entry',
    livemode: row.livemode ?? mode,
    id: row.id,
    number: row.number,
    action: row.action,
    actor: row.actor,
    api_token_id: row.api_key_id,
    user_id: row.user_id,
    subject_id: row.subject_id,
    request_id: row.request_id,
    hash: row.hash.toString('hex'),
    created_at: row.created_at.toISOString(),
  };
}
