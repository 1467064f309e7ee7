-- What the service worked out itself for an order of products: taxes by name and line, the discount's name.
alter table orders
  add column pricing jsonb,
  add column customer_name text;
