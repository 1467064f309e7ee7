-- What signs the access tokens of a merchant in one mode: random, sealed, made when the first token is.
create table access_keys (
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  key bytea not null,
  created_at timestamptz(3) not null,
  primary key (merchant_id, livemode)
);

-- What a paid order opens: one row for each line that names a product of the catalog. Its id is the sale line's.
create table access_grants (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  order_id uuid not null references orders,
  product_id uuid not null references products,
  -- as the product had it when it was bought; null: for life
  duration_seconds bigint,
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null
);
create index access_grants_order on access_grants (order_id, product_id);

-- Keys to media that a merchant sells. Only the sealed columns hold key material.
create table media_keys (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  name text,
  -- the product whose own key this is; made on first use
  own_product_id uuid unique references products,
  key bytea not null,
  key_fingerprint text not null,
  previous_key bytea,
  previous_key_fingerprint text,
  browser_delivery boolean not null,
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  check ((previous_key is null) = (previous_key_fingerprint is null))
);
create index media_keys_newest on media_keys (merchant_id, livemode, created_at desc, id desc);

create table media_key_products (
  media_key_id uuid not null references media_keys on delete cascade,
  product_id uuid not null references products,
  created_at timestamptz(3) not null,
  primary key (media_key_id, product_id)
);
create index media_key_products_product on media_key_products (product_id);

-- Papers that the operator gave a merchant; read by the API, written by the command line.
create table merchant_documents (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  name text not null,
  kind text not null,
  content_type text not null,
  size_bytes bigint not null,
  content bytea not null,
  created_at timestamptz(3) not null
);
create index merchant_documents_newest on merchant_documents (merchant_id, livemode, created_at desc, id desc);
