-- What a merchant sells, apart for each mode.

create table product_types (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  name text not null,
  position integer not null,
  external_ref text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index product_types_line on product_types (merchant_id, livemode, position, id);

create table taxes (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  name text not null,
  -- percent
  rate numeric(7, 4) not null check (rate between 0 and 100),
  -- whether prices already hold it
  inclusive boolean not null,
  enabled boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index taxes_newest on taxes (merchant_id, livemode, created_at desc, id desc);

-- Which taxes the products of a type bear, in the merchant's order.
create table product_type_taxes (
  product_type_id uuid not null references product_types on delete cascade,
  tax_id uuid not null references taxes on delete cascade,
  position integer not null,
  primary key (product_type_id, tax_id)
);
create index product_type_taxes_tax on product_type_taxes (tax_id);

create table products (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  -- the public name of its payment link; given once
  slug text not null unique,
  name text not null,
  description text,
  sku text,
  price_cents bigint not null check (price_cents >= 0),
  currency text not null,
  status text not null check (status in ('active', 'inactive', 'archived')),
  position integer not null,
  product_type_id uuid references product_types,
  resource_type text,
  image_url text,
  -- how long a buyer has access; null: for life
  access_duration_seconds bigint check (access_duration_seconds > 0),
  external_ref text,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint archived_products_have_no_type check (status <> 'archived' or product_type_id is null)
);
create index products_line on products (merchant_id, livemode, position, id);
create index products_type on products (product_type_id) where product_type_id is not null;
create index products_sku on products (merchant_id, livemode, sku) where sku is not null;
create index products_external_ref on products (merchant_id, livemode, external_ref) where external_ref is not null;

create table discounts (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  name text not null,
  code text,
  kind text not null check (kind in ('percent', 'fixed')),
  percent numeric(7, 4) check (percent > 0 and percent <= 100),
  amount_cents bigint check (amount_cents > 0),
  currency text,
  enabled boolean not null,
  starts_at timestamptz(3),
  ends_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint discounts_hold_what_their_kind_needs check (
    case kind
      when 'percent' then percent is not null and amount_cents is null and currency is null
      else percent is null and amount_cents is not null and currency is not null
    end
  ),
  check (starts_at < ends_at)
);
create index discounts_newest on discounts (merchant_id, livemode, created_at desc, id desc);
create unique index discounts_code on discounts (merchant_id, livemode, lower(code));

-- Rises with every write to one merchant's catalog in one mode. Each such write takes this row first, so they queue.
create table catalog_versions (
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  version timestamptz(3) not null,
  primary key (merchant_id, livemode)
);
