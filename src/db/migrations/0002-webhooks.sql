-- Endpoints that merchants subscribe to events, and what is sent to them.

create table webhooks (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  livemode boolean not null,
  url text not null,
  description text,
  -- kinds of events, or '*' for all
  events text[] not null check (cardinality(events) > 0),
  active boolean not null default true,
  secret bytea not null,
  -- after a rotation the old secret goes on signing until then
  previous_secret bytea,
  previous_secret_until timestamptz(3),
  success_count bigint not null default 0,
  failure_count bigint not null default 0,
  -- how the last 100 attempts ended, 1 or 0 each, newest last
  recent_outcomes text not null default '' check (length(recent_outcomes) <= 100),
  last_triggered_at timestamptz(3),
  metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
) with (fillfactor = 70);
-- every attempt counts itself in its row: room on the page keeps that from touching the index
create index webhooks_merchant on webhooks (merchant_id, livemode, created_at desc, id desc);

-- One event on its way to one endpoint:
--
--   waiting ──(claimed)──▶ sending ──(2xx)──▶ delivered
--      ▲                      ├──(failed, a try is left)──▶ waiting, later
--      └──(lease lost)────────┤
--                             └──(failed, none left)──▶ failed
--
-- Rows are written in the transaction of the event. No foreign keys: they would lock the endpoint's row in every sale.
create table deliveries (
  id uuid primary key,
  webhook_id uuid not null,
  event_id text not null,
  event_seq bigint not null,
  state text not null check (state in ('waiting', 'sending', 'delivered', 'failed')),
  -- failed tries since it was last queued: the place in the schedule
  tries smallint not null default 0,
  attempts integer not null default 0,
  -- business time; null once it is over
  next_try_at timestamptz(3),
  -- rises with each claim: the outcome of an older claim must not overwrite a newer one
  claim integer not null default 0,
  -- database time
  lease_until timestamptz(3),
  last_attempt_at timestamptz(3),
  response_status integer,
  response_excerpt text,
  error text,
  duration_ms integer,
  delivered_at timestamptz(3),
  created_at timestamptz(3) not null,
  unique (webhook_id, event_seq)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
-- A lane per endpoint: its next row is found without passing those of any other, however many wait there.
create index deliveries_waiting on deliveries (webhook_id, next_try_at, event_seq) where state = 'waiting';
create index deliveries_sending on deliveries (lease_until) where state = 'sending';

-- Set on events made to try one endpoint out: they go there and show up nowhere else.
alter table events add column webhook_id uuid;
-- For "since" and date filters; costs next to nothing to keep, unlike a tree.
create index events_created on events using brin (created_at) with (pages_per_range = 16, autosummarize = on);
