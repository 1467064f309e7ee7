-- A publishable key that asks for products of the catalog alone, never for an amount that a web page names.
alter table api_keys
  add column products_only boolean not null default false check (not products_only or kind = 'publishable');
