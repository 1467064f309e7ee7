-- Which tool an agent called, and whether it worked. Neither arguments nor results are kept.
create table tool_calls (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  credential_id uuid not null,
  tool text not null,
  success boolean not null,
  created_at timestamptz(3) not null
);
create index tool_calls_newest on tool_calls (merchant_id, livemode, created_at desc, id desc);
create index tool_calls_created on tool_calls (created_at);
