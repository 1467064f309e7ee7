import { type Handle, statement } from '../db/database.ts';
import { listPage } from '../db/list.ts';
import type { Scope } from '../kernel/context.ts';
import type { Filter } from '../kernel/filters.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { NewWalletRow, WalletRow } from '../model/wallet.ts';

const stored = [
  'id',
  'merchant_id',
  'livemode',
  'name',
  'connection',
  'lightning_address',
  'credentials',
  'settings',
  'enabled',
  'position',
  'max_payment_sats',
  'min_sats',
  'max_sats',
  'settlement_visibility',
  'notes',
  'takes_preimages',
  'last_checked_at',
  'last_transaction_at',
  'last_error',
  'consecutive_failures',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof WalletRow)[];
const jsonColumns = new Set<string>(['settings', 'notes']);

/** With the breaker's state now and whether this wallet is first in line. */
export const selectWallets = `select ${stored.map((column) => `w.${column}`).join(', ')}, w.deleted_at,
    coalesce(w.broken_until > clock_timestamp(), false) as broken,
    w.enabled and not exists (
      select from wallets o where o.merchant_id = w.merchant_id and o.livemode = w.livemode and o.enabled
         and (o.position, o.id) < (w.position, w.id)
    ) as is_default
  from wallets w`;

const insert = statement(
  'wallets_insert',
  `insert into wallets (${stored.join(', ')}, identity)
   values (${stored.map((_, index) => `$${index + 1}`).join(', ')}, $${stored.length + 1})
   on conflict do nothing`,
);
const find = statement(
  'wallets_find',
  `${selectWallets} where w.id = $1 and w.merchant_id = $2 and w.livemode = $3 and w.deleted_at is null`,
);
const lock = statement(
  'wallets_lock',
  `select from wallets
    where id = $1 and merchant_id = $2 and livemode = $3 and deleted_at is null for no key update`,
);
const findForJob = statement('wallets_find_for_job', `${selectWallets} where w.id = $1`);
const listAll = statement(
  'wallets_list_all',
  `${selectWallets} where w.merchant_id = $1 and w.livemode = $2 and w.deleted_at is null order by w.position, w.id`,
);
const listNames = statement(
  'wallets_list_names',
  'select id, name from wallets where merchant_id = $1 and livemode = $2',
);
const listForOperator = statement(
  'wallets_list_for_operator',
  `${selectWallets} where w.deleted_at is null order by w.merchant_id, w.livemode desc, w.position, w.id`,
);
const lastPosition = statement(
  'wallets_last_position',
  `select coalesce(max(position), 0) as position from wallets where merchant_id = $1 and livemode = $2`,
);
const setEnabled = statement(
  'wallets_set_enabled',
  `update wallets set enabled = $4, updated_at = $5
    where id = $1 and merchant_id = $2 and livemode = $3 and deleted_at is null`,
);
const findByIdentity = statement(
  'wallets_find_by_identity',
  `${selectWallets} where w.merchant_id = $1 and w.livemode = $2 and w.identity = $3 and w.deleted_at is null`,
);
const change = statement(
  'wallets_change',
  `update wallets set name = $4, position = $5, enabled = $6, max_payment_sats = $7, takes_preimages = $8, settings = $9,
          updated_at = $10
    where id = $1 and merchant_id = $2 and livemode = $3 and deleted_at is null`,
);
const markDeleted = statement(
  'wallets_mark_deleted',
  `update wallets set enabled = false, deleted_at = $4, updated_at = $4
    where id = $1 and merchant_id = $2 and livemode = $3 and deleted_at is null`,
);
const eraseCredentials = statement(
  'wallets_erase_credentials',
  `update wallets w set credentials = null
    where w.deleted_at < $1 and w.credentials is not null
      and not exists (select from invoices i
                       where i.wallet_id = w.id and i.paid_at is null and i.next_look_at is not null)`,
);
// The turn counts as taken whatever comes of it: a wallet that is away must not be asked round after round.
const claimProbes = statement(
  'wallets_claim_probes',
  `update wallets set probe_due_at = $1::timestamptz + interval '1 day'
    where id in (select id from wallets
                  where enabled and deleted_at is null and connection <> 'simulated'
                    and coalesce(probe_due_at, created_at + interval '1 day') <= $1
                  order by coalesce(probe_due_at, created_at) limit $2
                    for update skip locked)
   returning id`,
);
const recordProbe = statement(
  'wallets_record_probe',
  `update wallets set settlement_visibility = $2, min_sats = $3, max_sats = $4, notes = $5, last_checked_at = $6,
          last_error = null, consecutive_failures = 0, broken_until = null, updated_at = $6
    where id = $1`,
);
const recordSuccess = statement(
  'wallets_record_success',
  // Written at most twice a minute while all is well: a busy wallet's row must not become a queue.
  `update wallets set last_checked_at = $2, last_error = null, consecutive_failures = 0, broken_until = null
    where id = $1 and (consecutive_failures > 0 or last_error is not null or last_checked_at is null
                       or last_checked_at < $2::timestamptz - interval '30 seconds')`,
);
const recordFailure = statement(
  'wallets_record_failure',
  // From the fifth failure in a row the breaker opens for a minute, doubling up to an hour. Invoices are looked up
  // meanwhile, every few seconds: what fails then is no news, and counting it would turn a minute into an hour.
  `update wallets set last_checked_at = $2, last_error = $3,
          consecutive_failures = case when broken_until > clock_timestamp()
            then consecutive_failures else consecutive_failures + 1 end,
          broken_until = case when broken_until > clock_timestamp() or consecutive_failures + 1 < 5
            then broken_until
            else clock_timestamp() + make_interval(secs => least(3600, 60 * power(2, least(consecutive_failures - 4, 10))))
            end
    where id = $1`,
);
const recordRefusal = statement(
  'wallets_record_refusal',
  `update wallets set last_checked_at = $2, last_error = $3 where id = $1`,
);
const recordTransaction = statement(
  'wallets_record_transaction',
  // Once a second is enough to be shown: a busy wallet's row must not become a queue.
  `update wallets set last_transaction_at = $2
    where id = $1 and (last_transaction_at is null or last_transaction_at < $2::timestamptz - interval '1 second')`,
);

/** @returns false when the merchant has a wallet of this identity already, or got one at this very moment. */
export async function insertWallet(tx: Handle, row: NewWalletRow): Promise<boolean> {
  const values = stored.map((column) => (jsonColumns.has(column) ? JSON.stringify(row[column]) : row[column]));
  return (await tx.run(insert, [...values, row.identity ?? null])) === 1;
}

/** A wallet of the merchant in this mode that is the same as the one with this identity. */
export function findWalletByIdentity(db: Handle, scope: Scope, identity: string): Promise<WalletRow | undefined> {
  return db.maybeOne(findByIdentity, [scope.merchantId, scope.livemode, identity]);
}

export type WalletChange = Pick<
  WalletRow,
  'name' | 'position' | 'enabled' | 'max_payment_sats' | 'takes_preimages' | 'settings'
>;

/** Writes over a wallet that this transaction has locked. */
export async function updateWallet(
  tx: Handle,
  scope: Scope,
  id: string,
  { name, position, enabled, max_payment_sats, takes_preimages, settings }: WalletChange,
  now: Date,
): Promise<void> {
  const key = [id, scope.merchantId, scope.livemode];
  await tx.run(change, [
    ...key,
    name,
    position,
    enabled,
    max_payment_sats,
    takes_preimages,
    JSON.stringify(settings),
    now,
  ]);
}

/** Takes the wallet out of the line and every list. @returns false when the merchant has no such wallet. */
export async function markWalletDeleted(db: Handle, scope: Scope, id: string, now: Date): Promise<boolean> {
  return (await db.run(markDeleted, [id, scope.merchantId, scope.livemode, now])) === 1;
}

/** Of wallets removed before that moment which no invoice needs any more. */
export async function eraseUnneededCredentials(db: Handle, removedBefore: Date): Promise<number> {
  return db.run(eraseCredentials, [removedBefore]);
}

export function findWallet(db: Handle, scope: Scope, id: string): Promise<WalletRow | undefined> {
  return db.maybeOne(find, [id, scope.merchantId, scope.livemode]);
}

/** The wallet as it stands until this transaction ends; calls that only look are not held up. */
export async function lockWallet(tx: Handle, scope: Scope, id: string): Promise<WalletRow | undefined> {
  const key = [id, scope.merchantId, scope.livemode];
  // Read after the lock: a statement that had to wait sees other rows as they were before it.
  return (await tx.maybeOne(lock, key)) === undefined ? undefined : tx.maybeOne(find, key);
}

/** Without a tenant: for the watcher, which was handed the id by an invoice. */
export function findWalletForJob(db: Handle, id: string): Promise<WalletRow | undefined> {
  return db.maybeOne(findForJob, [id]);
}

/** What the wallets of a merchant in one mode are called, by id; also those that were removed. */
export async function listWalletNames(db: Handle, scope: Scope): Promise<Map<string, string>> {
  const rows = await db.many<Pick<WalletRow, 'id' | 'name'>>(listNames, [scope.merchantId, scope.livemode]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** All wallets of a merchant in one mode, first in line first. */
export function listMerchantWallets(db: Handle, scope: Scope): Promise<WalletRow[]> {
  return db.many(listAll, [scope.merchantId, scope.livemode]);
}

/** All wallets of this installation, live ones first within a merchant; for the command line. */
export function listWalletsForOperator(db: Handle): Promise<WalletRow[]> {
  return db.many(listForOperator);
}

/** The highest position that is taken, 0 when there is none. */
export async function lastWalletPosition(tx: Handle, scope: Scope): Promise<number> {
  return (await tx.maybeOne<{ position: number }>(lastPosition, [scope.merchantId, scope.livemode]))!.position;
}

export async function setWalletEnabled(
  db: Handle,
  scope: Scope,
  id: string,
  enabled: boolean,
  now: Date,
): Promise<boolean> {
  return (await db.run(setEnabled, [id, scope.merchantId, scope.livemode, enabled, now])) === 1;
}

/** Enabled wallets that have not been asked for a day what they can do; each is due again a day later. */
export async function claimWalletProbes(db: Handle, now: Date, limit: number): Promise<string[]> {
  return (await db.many<{ id: string }>(claimProbes, [now, limit])).map(({ id }) => id);
}

/** A successful probe: new facts, and the breaker closes. */
export async function recordWalletProbe(
  db: Handle,
  id: string,
  probe: Pick<WalletRow, 'settlement_visibility' | 'min_sats' | 'max_sats' | 'notes'>,
  now: Date,
): Promise<void> {
  const { settlement_visibility, min_sats, max_sats, notes } = probe;
  await db.run(recordProbe, [id, settlement_visibility, min_sats, max_sats, JSON.stringify(notes), now]);
}

export async function recordWalletSuccess(db: Handle, id: string, now: Date): Promise<void> {
  await db.run(recordSuccess, [id, now]);
}

/** @param error a sentence for the merchant, without secrets. */
export async function recordWalletFailure(db: Handle, id: string, error: string, now: Date): Promise<void> {
  await db.run(recordFailure, [id, now, error]);
}

/** It is shown and counts as no failure. */
export async function recordWalletRefusal(db: Handle, id: string, error: string, now: Date): Promise<void> {
  await db.run(recordRefusal, [id, now, error]);
}

export async function recordWalletTransaction(tx: Handle, id: string, settledAt: Date): Promise<void> {
  await tx.run(recordTransaction, [id, settledAt]);
}

/** In line order. */
export function listWallets(
  db: Handle,
  scope: Scope,
  page: PageRequest,
  filters: readonly Filter[],
): Promise<Page<WalletRow>> {
  return listPage<WalletRow>(
    db,
    {
      select: `select * from (${selectWallets}) w`,
      countFrom: `from (${selectWallets}) w`,
      where: 'merchant_id = $1 and livemode = $2 and deleted_at is null',
      values: [scope.merchantId, scope.livemode],
      columns: {
        wallet_type: `'lightning'::text`,
        status: `(case when enabled then 'active' else 'disabled' end)`,
        enabled: 'enabled',
        is_default: 'is_default',
        name: 'name',
        merchant_id: 'merchant_id',
      },
      orderBy: 'position, id',
    },
    filters,
    page,
  );
}
