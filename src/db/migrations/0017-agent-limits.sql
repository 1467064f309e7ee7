-- What an API key may call and ask for at most, in minor units of its merchant's currency. Null: no limit.
alter table api_keys
  add column allowed_tools text[],
  add column max_order_cents bigint check (max_order_cents > 0),
  add column max_daily_cents bigint check (max_daily_cents > 0);

-- What a key with a daily limit has asked for, by the day of its merchant.
create table api_key_days (
  api_key_id uuid not null references api_keys,
  day date not null,
  asked_cents bigint not null,
  primary key (api_key_id, day)
);
