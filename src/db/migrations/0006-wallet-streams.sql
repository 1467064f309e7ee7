-- Wallets that tell by themselves when they were paid, and those a merchant has removed.

alter table wallets
  -- what tells a wallet from the merchant's others, as a keyed hash: no wallet stands in line twice
  add column identity text,
  -- a payer may prove a payment with its preimage
  add column takes_preimages boolean not null default false,
  -- shown nowhere from then on; credentials are erased once no invoice needs them
  add column deleted_at timestamptz(3);

create unique index wallets_identity on wallets (merchant_id, livemode, identity)
  where identity is not null and deleted_at is null;

-- One row per wallet whose stream a process follows. Leases and times run by the database's clock.
create table wallet_streams (
  wallet_id uuid primary key references wallets,
  -- the process that follows; nobody once the lease has run out
  owner uuid,
  lease_until timestamptz(3),
  -- while open, nothing the wallet tells is missed
  open boolean not null default false,
  -- where to go on after a break, in the wallet's own terms
  cursor text
);

-- What a hint of a wallet brings forward.
create index invoices_watched_of_wallet on invoices (wallet_id) where paid_at is null and next_look_at is not null;
