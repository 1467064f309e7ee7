-- The fee that is in an order's sats: the merchant may have changed his before it is paid. Null without a quote, and for
-- quotes from before this was kept.
alter table orders add column conversion_fee_percent numeric;
