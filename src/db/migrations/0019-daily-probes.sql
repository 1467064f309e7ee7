-- When a wallet is asked again what it can do; null: a day after it was connected.
alter table wallets add column probe_due_at timestamptz(3);
create index wallets_probe_due on wallets (coalesce(probe_due_at, created_at)) where enabled and deleted_at is null;
