-- A payment page for one purchase. Its order is made when somebody first looks at it.
create table checkout_sessions (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  -- the secret in its address
  token text not null unique,
  source text not null check (source in ('checkout', 'payment_link')),
  -- a payment link's form may be sent twice; the token in it makes one session of that
  form_token text,
  api_key_id uuid,
  -- asked for by a web page or a link: anybody can cause it
  is_public boolean not null,
  product_id uuid references products,
  amount_cents bigint not null check (amount_cents >= 0),
  tax_amount_cents bigint not null check (tax_amount_cents >= 0),
  discount_amount_cents bigint not null default 0 check (discount_amount_cents >= 0),
  discount_id text,
  currency text not null,
  items jsonb not null,
  pricing jsonb,
  customer_email text,
  customer_name text,
  customer_phone text,
  customer_address text,
  success_url text,
  cancel_url text,
  checkout_mode text not null check (checkout_mode in ('redirect', 'iframe')),
  checkout_theme text not null check (checkout_theme in ('light', 'dark', 'auto')),
  checkout_accent_color text not null,
  metadata jsonb not null,
  order_id uuid unique references orders,
  expires_at timestamptz(3) not null,
  completed_at timestamptz(3),
  cancelled_at timestamptz(3),
  expired_event_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index checkout_sessions_newest on checkout_sessions (merchant_id, livemode, created_at desc, id desc);
create unique index checkout_sessions_form on checkout_sessions (product_id, form_token) where form_token is not null;
-- Whose end somebody still has to be told of.
create index checkout_sessions_ending on checkout_sessions (expires_at)
  where completed_at is null and cancelled_at is null and expired_event_at is null;

-- The unguessable part of a receipt's address.
alter table sales add column receipt_token text;
update sales set receipt_token = 'rcp_' || replace(gen_random_uuid()::text, '-', '');
alter table sales alter column receipt_token set not null;
create unique index sales_receipt on sales (receipt_token);
