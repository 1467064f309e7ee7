-- One sale per paid order: what was sold, as it stood when it was paid.
create table sales (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  order_id uuid not null unique references orders,
  -- the payment that completed the order
  payment_id uuid references payments,
  status text not null check (status in ('paid', 'partially_refunded', 'refunded')),
  source text not null,
  payment_method text not null check (payment_method in ('lightning', 'cash')),
  currency text not null,
  subtotal_cents bigint not null,
  discount_cents bigint not null,
  discount_name text,
  tax_cents bigint not null,
  tax_details jsonb not null default '[]',
  conversion_fee_percent numeric(7, 4) not null,
  conversion_fee_cents bigint not null,
  total_cents bigint not null,
  refunded_cents bigint not null default 0,
  items jsonb not null,
  customer_name text,
  delivery_status text not null check (delivery_status in ('not_required', 'pending', 'shipped', 'delivered')),
  shipped_at timestamptz(3),
  delivered_at timestamptz(3),
  ordered_at timestamptz(3) not null,
  sold_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index sales_newest on sales (merchant_id, livemode, created_at desc, id desc);

create table payment_requests (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  order_id uuid not null unique references orders,
  invoice_id uuid not null unique references invoices,
  description text not null,
  amount_cents bigint not null,
  created_at timestamptz(3) not null
);
create index payment_requests_newest on payment_requests (merchant_id, livemode, created_at desc, id desc);

-- Requests of one calendar month, such as 2027-03 (UTC), written in batches.
alter table api_keys
  add column request_month text,
  add column monthly_request_count bigint not null default 0,
  add column last_request_counted_at timestamptz(3);
