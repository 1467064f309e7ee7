-- Every call of a tool leaves a row, so a row must cost little: one tree, which the list is read by, in place of three,
-- and no look for its merchant, whose key was just checked and who is never deleted.
alter table tool_calls
  drop constraint tool_calls_merchant_id_fkey,
  drop constraint tool_calls_pkey,
  add primary key (merchant_id, livemode, created_at, id);
drop index tool_calls_newest;
drop index tool_calls_created;
-- For the sweep.
create index tool_calls_created on tool_calls using brin (created_at) with (pages_per_range = 16, autosummarize = on);
