-- What a merchant pays for, and how much it may ask of this service. Null limits: none.
create table plans (
  slug text primary key,
  name text not null,
  description text not null,
  price_cents bigint not null check (price_cents >= 0),
  currency text not null default 'usd',
  min_monthly_volume_cents bigint not null default 0,
  max_monthly_volume_cents bigint,
  features jsonb not null default '{}',
  requires_kyc boolean not null default false,
  on_sale boolean not null default false,
  per_api_key_per_minute integer not null check (per_api_key_per_minute > 0),
  per_api_key_per_hour integer check (per_api_key_per_hour > 0),
  delivery_per_order_per_hour integer check (delivery_per_order_per_hour > 0),
  unauthenticated_per_minute integer check (unauthenticated_per_minute > 0),
  position integer not null,
  -- shown to everybody
  is_public boolean not null
);
insert into plans (slug, name, description, price_cents, min_monthly_volume_cents, max_monthly_volume_cents, features,
                   requires_kyc, on_sale, per_api_key_per_minute, per_api_key_per_hour, delivery_per_order_per_hour,
                   unauthenticated_per_minute, position, is_public)
values
  ('self_hosted', 'Self-hosted', 'Everything, on a machine of your own.', 0, 0, null,
   '{"subscriptions": true, "webhooks": true, "mcp": true, "users": null}', false, false, 6000, null, 120, 6000, 1, true),
  ('starter', 'Starter', 'For a first shop.', 0, 0, 500000,
   '{"subscriptions": false, "webhooks": true, "mcp": true, "users": 2}', false, true, 60, 1000, 20, 30, 2, true),
  ('growth', 'Growth', 'For shops that live from it.', 2900, 500000, 5000000,
   '{"subscriptions": true, "webhooks": true, "mcp": true, "users": 10}', false, true, 300, 10000, 60, 60, 3, true),
  ('scale', 'Scale', 'For platforms and chains.', 19900, 5000000, null,
   '{"subscriptions": true, "webhooks": true, "mcp": true, "users": null}', true, true, 1200, 50000, 120, null, 4, true);

alter table merchants add column plan_slug text not null default 'self_hosted' references plans;

-- What several processes counted together. May be lost with the server: then a window begins anew.
create unlogged table rate_windows (
  subject text not null,
  starts_at timestamptz(3) not null,
  count bigint not null,
  primary key (subject, starts_at)
);
create index rate_windows_old on rate_windows (starts_at);

-- People who sign in.
create table users (
  id uuid primary key,
  -- as typed; compared without regard to case
  email text not null,
  name text,
  -- argon2id; null until an invitation is accepted
  password_hash text,
  failed_count integer not null default 0,
  locked_until timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index users_email on users (lower(email));

create table memberships (
  user_id uuid not null references users on delete cascade,
  merchant_id uuid not null references merchants,
  role text not null check (role in ('owner', 'manager', 'cashier', 'accountant')),
  created_at timestamptz(3) not null,
  primary key (user_id, merchant_id)
);
create index memberships_merchant on memberships (merchant_id);

-- A sign-in. Only the hash of its token is kept.
create table user_sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  token_hash bytea not null unique,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null
);
create index user_sessions_user on user_sessions (user_id);

-- A key that belongs to somebody's device goes with his membership, and after 30 days without use.
alter table api_keys
  add column user_id uuid references users on delete set null,
  add column device_name text;
create index api_keys_device on api_keys (user_id, merchant_id) where device_name is not null;

-- Who changed what. Each entry's hash covers the one before, so that none can be altered or taken out unseen. Refers to
-- nothing: what it tells of may be gone.
create table audit_log (
  merchant_id uuid not null,
  number bigint not null check (number > 0),
  id uuid not null unique,
  -- null: of no mode, such as somebody's place at the merchant
  livemode boolean,
  actor text not null check (actor in ('api_token', 'operator')),
  api_key_id uuid,
  user_id uuid,
  action text not null,
  subject_id text,
  request_id text,
  created_at timestamptz(3) not null,
  hash bytea not null,
  primary key (merchant_id, number)
);
