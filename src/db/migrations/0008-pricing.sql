-- What the service worked out itself for an order of products: taxes by name and line, the discount's name.
alter table orders
  add column pricing jsonb,
  add column customer_name text;

-- Money a merchant gave back by himself; written down here so that sale, order and access agree.
create table refunds (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  sale_id uuid not null references sales,
  order_id uuid not null references orders,
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  note text,
  api_key_id uuid,
  created_at timestamptz(3) not null
);
create index refunds_newest on refunds (merchant_id, livemode, created_at desc, id desc);
create index refunds_sale on refunds (sale_id);
