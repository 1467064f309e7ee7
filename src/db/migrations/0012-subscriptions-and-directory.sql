-- The public directory: creator channels and exchanges.

create table channels (
  id uuid primary key,
  -- null: kept by the operator
  merchant_id uuid references merchants,
  livemode boolean not null,
  slug text not null,
  name text not null,
  bio text,
  videos_count integer not null default 0 check (videos_count >= 0),
  nsfw boolean not null default false,
  theme text,
  category text,
  profile_image_url text,
  social_links jsonb not null default '{}',
  -- of an operator's channel; a merchant's shows the merchant's own name
  merchant_name text,
  -- ISO 3166-1 alpha-2, upper case
  country text,
  language text,
  currency text,
  -- what a search finds, made in code (model/channel-search.ts)
  search tsvector not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint operators_channels_are_live check (livemode or merchant_id is not null)
);
create unique index channels_live_slug on channels (slug) where livemode;
create unique index channels_test_slug on channels (merchant_id, slug) where not livemode;
create index channels_of_merchant on channels (merchant_id, livemode, created_at desc, id desc) where merchant_id is not null;
create index channels_newest on channels (nsfw, created_at desc, id desc) include (merchant_id) where livemode;
create index channels_category on channels (category, nsfw, created_at desc, id desc) where livemode;
create index channels_search on channels using gin (search) where livemode;

create table countries (
  -- ISO 3166-1 alpha-2, upper case
  iso_code text primary key,
  id uuid not null unique,
  name text not null,
  currency_code text not null
);

create table exchanges (
  id uuid primary key,
  name text not null,
  url text not null,
  promoted boolean not null,
  min_transaction_sats bigint check (min_transaction_sats >= 0),
  pays_lightning_invoices boolean not null,
  lightning_deposits boolean not null,
  payout_countries jsonb not null,
  peer_to_peer boolean not null,
  available_worldwide boolean not null,
  source_url text not null,
  checked_on text not null,
  notes text,
  notes_es text,
  logo_url text,
  country_codes text[] not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index exchanges_name on exchanges (lower(name));

-- Subscriptions.

-- How far a merchant's test calendar is ahead of the clock.
create table test_clocks (
  merchant_id uuid primary key references merchants,
  offset_seconds bigint not null check (offset_seconds >= 0),
  updated_at timestamptz(3) not null
);

create table customers (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  email text not null,
  created_at timestamptz(3) not null
);
create unique index customers_email on customers (merchant_id, livemode, lower(email));

create table subscriptions (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  status text not null check (status in ('invited', 'trialing', 'active', 'past_due', 'paused', 'cancelled')),
  -- the customer's link: found by its hash, shown again by opening the sealed value
  link_hash text not null unique,
  link_sealed bytea not null,
  customer_id uuid not null references customers,
  customer_email text not null,
  customer_name text,
  product_id uuid references products,
  name text not null,
  amount_cents bigint not null check (amount_cents > 0),
  first_charge_cents bigint not null check (first_charge_cents >= 0),
  currency text not null,
  interval_unit text not null check (interval_unit in ('week', 'month', 'year')),
  interval_count integer not null check (interval_count > 0),
  -- the calendar that days are counted in; the merchant's at the invitation
  time_zone text not null,
  -- a day of that calendar, as YYYY-MM-DD
  starts_on text,
  trial_days integer not null check (trial_days >= 0),
  trial_ends_at timestamptz(3),
  bitcoin_discount_percent numeric(7, 4) not null check (bitcoin_discount_percent between 0 and 100),
  rail text not null check (rail in ('bitcoin', 'card')),
  metadata jsonb not null default '{}',
  -- taxes of the product at the invitation; null: none
  agreed_taxes jsonb,
  -- the first charge; every period is counted from here, in time_zone
  anchor_at timestamptz(3),
  next_billing_at timestamptz(3),
  current_period_start timestamptz(3),
  current_period_end timestamptz(3),
  cancel_at_period_end boolean not null default false,
  trial_end_told boolean not null default false,
  -- when the billing job looks at it next, by the clock and not by the test calendar; null: never
  look_at timestamptz(3),
  invited_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  paused_at timestamptz(3),
  cancelled_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index subscriptions_newest on subscriptions (merchant_id, livemode, created_at desc, id desc);
create index subscriptions_to_look_at on subscriptions (look_at) where look_at is not null;
create index subscriptions_customer on subscriptions (customer_id);

-- One row and one order for each period that was billed.
create table subscription_periods (
  id uuid primary key,
  subscription_id uuid not null references subscriptions,
  -- counted from 0 at the anchor
  number integer not null,
  starts_at timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  order_id uuid not null unique references orders,
  -- three days after this an unpaid period makes the subscription past due
  due_at timestamptz(3) not null,
  settled boolean not null default false,
  check (starts_at < ends_at),
  unique (subscription_id, number)
);
create unique index one_unsettled_period on subscription_periods (subscription_id) where not settled;

-- E-mails on their way. What they say is sealed, because it holds links that open something, and goes once they are sent.
create table mails (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  sealed bytea,
  state text not null check (state in ('waiting', 'sent', 'failed')),
  tries integer not null default 0,
  next_try_at timestamptz(3) not null,
  -- by the database's clock
  lease_until timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null,
  ended_at timestamptz(3)
);
create index mails_due on mails (next_try_at) where state = 'waiting';
create index mails_ended on mails (ended_at) where ended_at is not null;
