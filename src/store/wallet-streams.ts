import { type Handle, statement } from '../db/database.ts';
import { pushingKinds } from '../model/connection.ts';
import type { InvoiceRow } from '../model/invoice.ts';

/** Who follows which wallet's stream, across all merchants. Leases run by the database's clock. */

/** Wallets that may be paid: those that get invoices, and those with invoices that are still watched. */
const wanted = `w.connection = any($1::text[]) and w.credentials is not null
        and (w.enabled or exists (
          select from invoices i where i.wallet_id = w.id and i.paid_at is null and i.next_look_at is not null))`;

const claim = statement(
  'wallet_streams_claim',
  `insert into wallet_streams (wallet_id, owner, lease_until)
   select w.id, $2, clock_timestamp() + make_interval(secs => $3)
     from wallets w left join wallet_streams s on s.wallet_id = w.id
    where ${wanted} and (s.lease_until is null or s.lease_until <= clock_timestamp())
    order by w.id limit $4
   on conflict (wallet_id) do update set owner = excluded.owner, lease_until = excluded.lease_until, open = false
     where wallet_streams.lease_until is null or wallet_streams.lease_until <= clock_timestamp()
   returning wallet_id, cursor`,
);
const renew = statement(
  'wallet_streams_renew',
  `update wallet_streams s set lease_until = clock_timestamp() + make_interval(secs => $3)
     from wallets w
    where w.id = s.wallet_id and s.owner = $2 and s.lease_until > clock_timestamp() and ${wanted}
   returning s.wallet_id`,
);
const setOpen = statement(
  'wallet_streams_set_open',
  `update wallet_streams set open = $3 where wallet_id = $1 and owner = $2 and open <> $3`,
);
const saveCursor = statement(
  'wallet_streams_save_cursor',
  `update wallet_streams set cursor = $3 where wallet_id = $1 and owner = $2`,
);
const release = statement(
  'wallet_streams_release',
  `update wallet_streams set owner = null, lease_until = null, open = false where wallet_id = $1 and owner = $2`,
);
const findOpen = statement(
  'wallet_streams_find_open',
  `select open and lease_until > clock_timestamp() as open from wallet_streams where wallet_id = $1`,
);

interface StreamClaim {
  wallet_id: string;
  cursor: string | null;
}

/** Takes wallets that nobody follows, for `leaseSeconds`. */
export function claimWalletStreams(
  db: Handle,
  owner: string,
  leaseSeconds: number,
  limit: number,
): Promise<StreamClaim[]> {
  return db.many(claim, [pushingKinds, owner, leaseSeconds, limit]);
}

/** @returns the wallets that this owner still has; any other was lost, or is not wanted any more. */
export async function renewWalletStreams(db: Handle, owner: string, leaseSeconds: number): Promise<string[]> {
  const rows = await db.many<{ wallet_id: string }>(renew, [pushingKinds, owner, leaseSeconds]);
  return rows.map((row) => row.wallet_id);
}

export async function setWalletStreamOpen(db: Handle, walletId: string, owner: string, open: boolean): Promise<void> {
  await db.run(setOpen, [walletId, owner, open]);
}

export async function saveWalletStreamCursor(
  db: Handle,
  walletId: string,
  owner: string,
  cursor: string,
): Promise<void> {
  await db.run(saveCursor, [walletId, owner, cursor]);
}

export async function releaseWalletStream(db: Handle, walletId: string, owner: string): Promise<void> {
  await db.run(release, [walletId, owner]);
}

/** Whether somebody would hear at once that this invoice was paid. */
export async function isStreamOpen(
  db: Handle,
  { wallet_id, connection }: Pick<InvoiceRow, 'wallet_id' | 'connection'>,
): Promise<boolean> {
  if (!pushingKinds.includes(connection)) return false;
  return (await db.maybeOne<{ open: boolean | null }>(findOpen, [wallet_id]))?.open === true;
}
