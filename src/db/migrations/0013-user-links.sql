-- Links that let somebody in once: to take the place at a merchant that they offer, or to set a new password. Only the
-- hash is kept.
create table user_links (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  kind text not null check (kind in ('invitation', 'password')),
  token_hash bytea not null unique,
  -- the place that an invitation offers
  merchant_id uuid references merchants,
  role text check (role in ('owner', 'manager', 'cashier', 'accountant')),
  expires_at timestamptz(3) not null,
  -- used, withdrawn or replaced
  ended_at timestamptz(3),
  created_at timestamptz(3) not null,
  check ((kind = 'invitation') = (merchant_id is not null)),
  check ((kind = 'invitation') = (role is not null))
);
create index user_links_user on user_links (user_id);
create index user_links_merchant on user_links (merchant_id) where merchant_id is not null;
create index user_links_expired on user_links (expires_at);

-- Mails to people who sign in are no merchant's.
alter table mails alter column merchant_id drop not null;

-- What people do themselves: activate a device, accept an invitation, set a new password.
alter table audit_log drop constraint audit_log_actor_check;
alter table audit_log add constraint audit_log_actor_check check (actor in ('api_token', 'user', 'operator'));

-- What a payment was worth in the merchant's own currency when it arrived; null for cash and what was paid before.
alter table payments
  add column merchant_currency text,
  add column merchant_value text;
