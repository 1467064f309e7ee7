-- Conventions: ids are made in code (UUIDv7); moments are timestamptz(3) so that a printed value finds its own row;
-- *_cents are minor units of the row's currency, *_sats whole satoshis; merchant_id leads the indexes of tenant tables.

create table settings (
  key text primary key,
  value bytea not null,
  updated_at timestamptz(3) not null default now()
);

create table merchants (
  id uuid primary key,
  name text not null,
  email text,
  phone text,
  business_license text,
  status text not null check (status in ('pending', 'active', 'suspended')),
  time_zone text not null,
  currency text not null,
  logo_url text,
  tip_options jsonb not null default '[]',
  pos_theme text not null default 'light',
  pos_enabled boolean not null default true,
  privapaid_enabled boolean not null default true,
  checkout_theme text not null default 'auto',
  checkout_accent_color text not null default '#f7931a',
  allowed_origins jsonb not null default '[]',
  conversion_fee_percent numeric(7, 4) not null default 0 check (conversion_fee_percent >= 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create table api_keys (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  kind text not null check (kind in ('secret', 'publishable')),
  name text not null,
  key_hash bytea not null unique,
  prefix text not null,
  last_four text not null,
  -- null: everything a key of its kind may do
  permissions text[],
  -- null: from anywhere
  ip_ranges text[],
  rpm_limit integer,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null
);
create index api_keys_merchant on api_keys (merchant_id, livemode, created_at);

create table wallets (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  name text not null,
  connection text not null,
  lightning_address text,
  credentials bytea,
  settings jsonb not null default '{}',
  enabled boolean not null default true,
  position integer not null,
  -- the merchant's own ceiling; the wallet's own limits are beside it
  max_payment_sats bigint,
  min_sats bigint not null default 1,
  max_sats bigint,
  settlement_visibility text not null check (settlement_visibility in ('proof', 'word', 'none')),
  notes jsonb not null default '[]',
  last_checked_at timestamptz(3),
  last_transaction_at timestamptz(3),
  last_error text,
  consecutive_failures integer not null default 0,
  -- the breaker: no calls until then, by the database's clock
  broken_until timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint simulated_wallets_are_test_only check (connection <> 'simulated' or not livemode)
);
create index wallets_merchant on wallets (merchant_id, livemode, position);

create table orders (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  order_number text not null,
  status text not null check (status in ('pending', 'paid', 'cancelled', 'refunded')),
  attention text check (attention in ('paid_late', 'overpaid', 'paid_after_cancel')),
  tender_type text not null check (tender_type in ('bitcoin', 'cash')),
  source text not null,
  currency text not null,
  total_amount_cents bigint not null check (total_amount_cents >= 0),
  tax_amount_cents bigint not null check (tax_amount_cents >= 0),
  discount_amount_cents bigint not null check (discount_amount_cents >= 0),
  total_amount_sats bigint not null check (total_amount_sats >= 0),
  items jsonb not null,
  customer_email text,
  po_number text not null,
  channel_id text,
  discount_id text,
  wallet_id uuid,
  -- true when the merchant named the wallet: then no other may take the payment
  wallet_pinned boolean not null default false,
  btc_usd_price numeric,
  btc_fiat_price numeric,
  rate_source text,
  rate_quoted_at timestamptz(3),
  metadata jsonb not null,
  -- rises with every change of what is owed, so that an invoice asked for before cannot be issued after
  version integer not null default 1,
  cash_paid_at timestamptz(3),
  paid_at timestamptz(3),
  cancelled_at timestamptz(3),
  api_key_id uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index orders_number on orders (merchant_id, livemode, order_number);
create index orders_newest on orders (merchant_id, livemode, created_at desc, id desc);
create index orders_status on orders (merchant_id, livemode, status, created_at desc, id desc);

create table invoices (
  id uuid primary key,
  merchant_id uuid not null,
  livemode boolean not null,
  order_id uuid not null references orders,
  wallet_id uuid not null references wallets,
  connection text not null,
  -- what the wallet knows this invoice by
  ref text not null,
  amount_sats bigint not null check (amount_sats > 0),
  -- what of the order's total this invoice is for, at the rate it was quoted at
  quoted_cents bigint not null,
  btc_usd_price numeric not null,
  btc_fiat_price numeric not null,
  bolt11 text not null,
  payment_hash text not null unique,
  handle bytea not null,
  expires_at timestamptz(3) not null,
  bolt11_expires_at timestamptz(3) not null,
  paid_at timestamptz(3),
  superseded_at timestamptz(3),
  expired_event_at timestamptz(3),
  held_at timestamptz(3),
  -- watching: when to look next (business time), until when, and who is looking now (database time)
  next_look_at timestamptz(3),
  watch_until timestamptz(3) not null,
  last_look_at timestamptz(3),
  look_count integer not null default 0,
  viewed_at timestamptz(3),
  lease_until timestamptz(3),
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint simulated_invoices_are_test_only check (connection <> 'simulated' or not livemode)
);
create unique index invoices_one_open on invoices (order_id) where paid_at is null and superseded_at is null;
create index invoices_order on invoices (order_id, created_at desc, id desc);
create index invoices_due on invoices (next_look_at) where paid_at is null and next_look_at is not null;

create table invoice_requests (
  id uuid primary key,
  order_id uuid not null references orders,
  order_version integer not null,
  amount_sats bigint not null,
  state text not null check (state in ('asking', 'issued', 'failed', 'abandoned')),
  lease_until timestamptz(3) not null,
  error jsonb,
  created_at timestamptz(3) not null
);
create unique index invoice_requests_one_asking on invoice_requests (order_id) where state = 'asking';
create index invoice_requests_created on invoice_requests (created_at);

create table payments (
  id uuid primary key,
  merchant_id uuid not null,
  livemode boolean not null,
  order_id uuid not null references orders,
  invoice_id uuid unique references invoices,
  payment_hash text unique,
  kind text not null check (kind in ('lightning', 'cash')),
  wallet_id uuid,
  channel_id text,
  amount_sats bigint,
  amount_cents bigint not null,
  currency text not null,
  preimage text,
  -- whether a preimage proved it or the wallet said so
  evidence text check (evidence in ('proof', 'word')),
  btc_usd_price numeric,
  btc_fiat_price numeric,
  usd_value text,
  fiat_value text,
  usd_variance_cents bigint,
  fiat_variance_cents bigint,
  variance_percentage text,
  metadata jsonb not null default '{}',
  confirmed_at timestamptz(3) not null,
  settled_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index payments_newest on payments (merchant_id, livemode, created_at desc, id desc);
create index payments_order on payments (order_id, created_at desc, id desc);

-- What happened, written in the transaction that made it happen. `body` is built once; deliveries send these bytes.
create table events (
  id text primary key,
  seq bigint generated always as identity unique,
  -- commit order is not id order: readers take only rows below the oldest running transaction
  xid xid8 not null default pg_current_xact_id(),
  merchant_id uuid not null,
  livemode boolean not null,
  kind text not null,
  subject_id uuid not null,
  dedupe text not null,
  body text not null,
  created_at timestamptz(3) not null,
  unique (subject_id, kind, dedupe)
);
create index events_cursor on events (merchant_id, livemode, xid, seq);

create table idempotency_keys (
  credential_id uuid not null,
  key text not null,
  operation text not null,
  input_hash text not null,
  state text not null check (state in ('started', 'done')),
  token uuid not null,
  lease_until timestamptz(3) not null,
  frozen bytea,
  status integer,
  answer bytea,
  created_at timestamptz(3) not null,
  primary key (credential_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- The simulated wallet's side of the books: which of its invoices were paid, and how.
create table simulated_payments (
  payment_hash text primary key,
  settles_at timestamptz(3) not null,
  received_msat bigint not null,
  with_preimage boolean not null default true,
  created_at timestamptz(3) not null
);
