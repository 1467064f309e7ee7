-- When what an unpaid invoice was quoted for was put in another currency, because its order's changed.
alter table invoices add column restated_at timestamptz(3);
