import type { SealedPlace } from '../kernel/secrets.ts';

/** A column of sealed values, and how its rows are told apart. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The primary key in order, with SQL types. */
  readonly key: readonly { readonly name: string; readonly type: 'uuid' | 'text' | 'boolean' | 'bytea' }[];
  /** Between the parts of the key in the row's name. */
  readonly separator: string;
  /** SQL that is true for rows which are none of this; those stay as they are when everything is sealed anew. */
  readonly except?: string;
}

const byId = [{ name: 'id', type: 'uuid' }] as const;
const byIdempotencyKey = [
  { name: 'credential_id', type: 'uuid' },
  { name: 'key', type: 'text' },
] as const;

type Declaration = Pick<SealedColumn, 'key' | 'except'> & Partial<Pick<SealedColumn, 'separator'>>;

const declared = {
  // Checks stay under the key that they are checks of.
  'settings.value': { key: [{ name: 'key', type: 'text' }], except: "key like 'secrets_check%'" },
  'wallets.credentials': { key: byId },
  'invoices.handle': { key: byId },
  'idempotency_keys.frozen': { key: byIdempotencyKey, separator: '/' },
  'idempotency_keys.answer': { key: byIdempotencyKey, separator: '/' },
  'webhooks.secret': { key: byId },
  'webhooks.previous_secret': { key: byId },
  'access_keys.key': {
    key: [
      { name: 'merchant_id', type: 'uuid' },
      { name: 'livemode', type: 'boolean' },
    ],
    separator: ' ',
  },
  'media_keys.key': { key: byId },
  'media_keys.previous_key': { key: byId },
  'subscriptions.link_sealed': { key: byId },
  'mails.sealed': { key: byId },
  'second_factors.secret': { key: [{ name: 'user_id', type: 'uuid' }] },
  'oauth_clients.metadata': { key: [{ name: 'id', type: 'text' }] },
  'oauth_artifacts.payload': {
    key: [
      { name: 'model', type: 'text' },
      { name: 'id_hash', type: 'bytea' },
    ],
    separator: '/',
  },
} as const satisfies Record<string, Declaration>;

type SealedColumnName = keyof typeof declared;

/** Every column that holds sealed values. What is not listed here cannot be sealed, and would be lost with an old secrets key. */
export const sealedColumns: readonly SealedColumn[] = Object.entries(declared).map(([name, shape]) => {
  const [table, column] = name.split('.') as [string, string];
  return { separator: '', ...shape, table, column };
});

/** The place of a value: a column and the primary key of its row. */
export function sealedPlace(name: SealedColumnName, ...key: readonly (string | boolean)[]): SealedPlace {
  const [table, column] = name.split('.') as [string, string];
  const { separator = '' }: Declaration = declared[name];
  return { table, column, row: key.join(separator) };
}
